/** The call in the widget: microphone, controls and present speaker. The words are shown in the conversation. */
import { html, nothing, type LitElement, type ReactiveController, type TemplateResult } from "lit"
import type { SoundOrder } from "../../src/domain/WidgetMessage.ts"
import type { Connection, Talk } from "./Connection.ts"
import * as Marks from "./Marks.ts"
import { Meter } from "./Meter.ts"
import { Voice } from "./sound/Voice.ts"

/** Milliseconds between two drawings of the bars and the clock. */
const drawnEvery = 100

interface Host extends LitElement {
  readonly server: string
}

const asks = html`<div class="note waits" role="status">Allow the microphone in your browser.</div>`
const noMicrophone = html`<div class="note trouble" role="alert">No microphone. You can keep typing.</div>`

export class Call implements ReactiveController {
  readonly #host: Host
  readonly #connection: Connection
  readonly #still = matchMedia("(prefers-reduced-motion: reduce)")
  #voice: Voice | undefined
  #meter = new Meter()
  #began = 0
  #drawing: ReturnType<typeof setInterval> | undefined
  #note: TemplateResult | undefined

  constructor(host: Host, connection: Connection) {
    this.#host = host
    this.#connection = connection
    host.addController(this)
  }

  hostDisconnected() {
    this.#hangUp()
  }

  get isOn(): boolean {
    return this.#voice !== undefined
  }

  /** A sentence about the microphone. */
  get note(): TemplateResult | undefined {
    return this.#note
  }

  set note(note: TemplateResult | undefined) {
    this.#note = note
    this.#host.requestUpdate()
  }

  get duration(): string {
    const seconds = Math.max(0, Math.floor((Date.now() - this.#began) / 1_000))
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
  }

  hear(frame: ArrayBuffer): void {
    this.#voice?.hear(frame)
  }

  order(what: SoundOrder, frame: number): void {
    this.#voice?.order(what, frame)
  }

  /** Hangs up if the conversation has ended or continues as a chat. */
  follow({ mode, phase }: Talk): void {
    if (this.isOn && (phase === "ended" || phase === "refused" || mode === "chat")) this.#hangUp()
  }

  async #begin() {
    if (this.note === asks || this.isOn) return
    this.note = asks
    try {
      const voice = await Voice.open(this.#host.server, {
        spoke: (frame) => this.#connection.speak(frame),
        lost: () => {
          this.note = noMicrophone
          this.#connection.end()
        },
      })
      if (!this.#host.isConnected) {
        // Otherwise no call could begin if the page puts the widget elsewhere.
        this.note = undefined
        return voice.close()
      }
      this.#voice = voice
    } catch {
      this.note = noMicrophone
      return this.#focus("textarea")
    }
    this.note = undefined
    this.#meter = new Meter()
    this.#began = Date.now()
    this.#drawing = setInterval(() => {
      const { agentLevel = 0, visitorLevel = 0 } = this.#voice ?? {}
      if (!this.#still.matches) this.#meter.add(agentLevel, visitorLevel)
      this.#host.requestUpdate()
    }, drawnEvery)
    this.#connection.start("voice")
    await this.#focus(".mute")
  }

  /** Closes the microphone and the loudspeaker. The conversation's text stays. */
  #hangUp() {
    clearInterval(this.#drawing)
    this.#voice?.close()
    this.#voice = undefined
    this.#host.requestUpdate()
  }

  #mute() {
    if (this.#voice !== undefined) this.#voice.isMuted = !this.#voice.isMuted
    this.#host.requestUpdate()
  }

  async #end() {
    this.#connection.end()
    await this.#focus(".again")
  }

  async #focus(selector: string) {
    await this.#host.updateComplete
    this.#host.renderRoot.querySelector<HTMLElement>(selector)?.focus()
  }

  /**
   * The button that starts a call. Shown if the agent has a voice and the page may use a microphone, which needs TLS.
   */
  button(hasVoice: boolean) {
    return hasVoice && "mediaDevices" in navigator
      ? html`<button class="button" type="button" ?disabled=${this.note === asks} @click=${() => this.#begin()}>
          ${Marks.phone}Call
        </button>`
      : nothing
  }

  get controls(): TemplateResult {
    const isMuted = this.#voice?.isMuted === true
    return html`<div class="controls">
      <button class="button mute" aria-pressed=${isMuted ? "true" : "false"} @click=${() => this.#mute()}>
        ${isMuted ? Marks.muted : Marks.microphone}Mute
      </button>
      <button class="button end" @click=${() => this.#end()}>${Marks.phone}End</button>
    </div>`
  }

  panel(agent: string, talk: Talk): TemplateResult {
    const [who, more] = this.#speaker(agent, talk)
    const isMuted = this.#voice?.isMuted === true
    // Screen readers announce the call's state but not who speaks, since the voices are heard anyway.
    const told = isMuted ? "You are muted" : talk.phase === "open" ? "You are in a call" : who
    return html`<div class="call">
      ${this.#meter.drawing}
      <div class="speaker" aria-hidden="true">${who}</div>
      <div class="state">${more}</div>
      <div class="heard" role="status">${told}</div>
    </div>`
  }

  #speaker(agent: string, { phase, thinking }: Talk): readonly [string, string] {
    if (phase === "lost") return ["Connection lost", "Reconnecting…"]
    if (phase === "connecting") return [`Calling ${agent}`, ""]
    if (this.#voice?.isMuted === true) return ["You are muted", `${agent} can't hear you.`]
    if (this.#voice?.isAgentSpeaking === true) return [`${agent} is speaking`, "Just talk to interrupt."]
    return [thinking ? `${agent} is thinking` : "Listening", ""]
  }
}
