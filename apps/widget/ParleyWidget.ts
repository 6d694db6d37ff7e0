/** `<parley-widget key="pk_live_…">`: a button with a conversation. It opens or moves only when the visitor asks. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit"
import { live } from "lit/directives/live.js"
import { repeat } from "lit/directives/repeat.js"
import { longestText } from "./Limits.ts"
import * as Api from "./Api.ts"
import { Call } from "./Call.ts"
import { callLook } from "./CallLook.ts"
import { fillOf } from "./Colour.ts"
import { Connection, type Line, type Talk } from "./Connection.ts"
import { keep, readKept } from "./KeptChat.ts"
import { look } from "./Look.ts"
import * as Marks from "./Marks.ts"
import { Refused, sentenceOf } from "./Refused.ts"

/** The origin of the script is the default server. */
const home = new URL((document.currentScript as HTMLScriptElement | null)?.src || location.href).origin

const surfaces = { light: "#ffffff", dark: "#191a18" }

const ends: Record<string, (agent: string) => string> = {
  agent_hung_up: (agent) => `${agent} ended the conversation.`,
  visitor_left: () => "You ended the conversation.",
  hung_up: (agent) => `${agent} had to leave.`,
  transferred: () => "You were transferred to another person.",
  silence: () => "The conversation ended because nobody said anything.",
  max_duration: () => "The conversation reached its time limit.",
  agent_error: (agent) => `${agent} can't continue. Start again, or try later.`,
  interrupted: () => "The conversation was interrupted.",
}

/** Milliseconds after which the button is shown even if the page is never idle, as on a busy machine. */
const idleWithin = 2_000

export class ParleyWidget extends LitElement {
  static override styles = [look, callLook]
  static override properties = {
    key: {},
    server: {},
    sessionUrl: { attribute: "session-url" },
    mode: { reflect: true },
    position: { reflect: true },
    open: { type: Boolean, reflect: true },
    config: { state: true },
    talk: { state: true },
    draft: { state: true },
  }
  declare key: string
  declare server: string
  /** A URL of the page's own server, which returns a session for its visitor. */
  declare sessionUrl: string | null
  declare mode: "light" | "dark"
  declare position: string
  declare open: boolean
  declare private config: Api.Config | undefined
  declare private talk: Talk
  declare private draft: string
  readonly #connection: Connection
  readonly #dark = matchMedia("(prefers-color-scheme: dark)")
  #follows = true
  readonly #call: Call

  constructor() {
    super()
    this.#connection = new Connection({
      session: () => Api.session(this.server, this.key, this.sessionUrl),
      open: (url) => new WebSocket(url),
      changed: (talk) => {
        this.talk = talk
        this.#call.follow(talk)
      },
      kept: (resume) => keep(this.key, resume === undefined ? undefined : { resume, open: this.open }),
      sounded: (frame) => this.#call.hear(frame),
      ordered: (what, frame) => this.#call.order(what, frame),
    })
    this.#call = new Call(this, this.#connection)
    this.key = ""
    this.server = home
    this.sessionUrl = null
    this.mode = "light"
    this.position = "bottom-right"
    this.open = false
    this.draft = ""
    this.talk = this.#connection.talk
  }

  override connectedCallback() {
    super.connectedCallback()
    this.#dark.addEventListener("change", this.#dress)
    addEventListener("online", this.#hurry)
    document.addEventListener("visibilitychange", this.#hurry)
    this.#connection.rejoin()
    // Wait until the page is idle, so that the widget does not delay it.
    if ("requestIdleCallback" in globalThis) requestIdleCallback(this.#load, { timeout: idleWithin })
    else setTimeout(this.#load)
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    this.#dark.removeEventListener("change", this.#dress)
    removeEventListener("online", this.#hurry)
    document.removeEventListener("visibilitychange", this.#hurry)
    this.#connection.leave()
  }

  readonly #hurry = () => {
    if (document.visibilityState === "visible") this.#connection.hurry()
  }

  readonly #load = async () => {
    if (this.config !== undefined || !this.isConnected) return
    try {
      this.config = await Api.config(this.server, this.key)
      this.lang = this.config.agent.language
      this.#dress()
      const kept = readKept(this.key)
      if (kept === undefined) return
      this.#connection.takeUp(kept.resume)
      this.open = kept.open
    } catch (cause) {
      // The visitor sees no error. The page's developer can listen for it.
      this.dispatchEvent(new CustomEvent("parley-error", { bubbles: true, composed: true, detail: cause }))
      const again = cause instanceof Refused ? cause.refusal.retryAfter : 30
      if (again !== undefined) setTimeout(() => void this.#load(), Math.max(5, again) * 1_000)
    }
  }

  readonly #dress = () => {
    const theme = this.config?.theme
    if (theme === undefined) return
    this.mode = theme.mode === "system" ? (this.#dark.matches ? "dark" : "light") : theme.mode
    this.position = theme.position
    const { fill, text } = fillOf(theme.color, surfaces[this.mode])
    this.style.setProperty("--fill", fill)
    this.style.setProperty("--fill-text", text)
  }

  #find<E extends HTMLElement>(selector: string): E | null {
    return this.renderRoot.querySelector<E>(selector)
  }

  async #unfold() {
    this.open = true
    // Without a fixed greeting the agent greets, so the conversation begins now. Otherwise it begins with the first
    // text.
    if (this.config?.greeting === null) this.#connection.start()
    await this.updateComplete
    this.#find("textarea")?.focus()
    this.#follows = true
    this.#toEnd()
  }

  async #fold() {
    this.open = false
    await this.updateComplete
    this.#find(".launcher")?.focus()
  }

  #leave() {
    if (this.talk.phase !== "idle") this.#connection.end()
    void this.#fold()
  }

  #write(event: Event) {
    event.preventDefault()
    const text = this.draft.trim()
    if (text === "") return
    this.draft = ""
    this.#call.note = undefined
    this.#follows = true
    this.#connection.write(text)
  }

  readonly #key = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation()
      void this.#fold()
    }
    // While an input method composes text, Enter selects a candidate.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target instanceof HTMLTextAreaElement) {
      this.#write(event)
    }
  }

  /** Follows new lines while the end is in sight, but not while the visitor reads further up. */
  readonly #scrolled = (event: Event) => {
    const { clientHeight, scrollHeight, scrollTop } = event.currentTarget as HTMLElement
    this.#follows = scrollHeight - scrollTop - clientHeight < 40
  }

  #toEnd() {
    const log = this.#find(".log")
    if (log !== null && this.#follows) log.scrollTop = log.scrollHeight
  }

  protected override updated(changed: PropertyValues<this>) {
    super.updated(changed)
    if (this.open) this.#toEnd()
    // The first rendering is not a change by the visitor.
    if (changed.get("open") === undefined) return
    const kept = readKept(this.key)
    if (kept !== undefined && kept.open !== this.open) keep(this.key, { ...kept, open: this.open })
  }

  protected override render() {
    const { config } = this
    if (config === undefined) return nothing
    return this.open ? this.#panel(config) : this.#launcher(config)
  }

  #launcher({ theme }: Api.Config) {
    return html`<button class="launcher" part="launcher" aria-haspopup="dialog" @click=${() => this.#unfold()}>
      ${Marks.mark(20)}<span>${this.#call.isOn ? "In a call" : theme.label}</span>
    </button>`
  }

  #panel({ agent, greeting, theme }: Api.Config) {
    const { lines, piece } = this.talk
    const isSpoken = this.#call.isOn || this.talk.mode === "voice"
    const opening = greeting !== null && !isSpoken && lines.every(({ by }) => by !== "agent") ? greeting : undefined
    return html`<section class="panel" role="dialog" aria-labelledby="name" @keydown=${this.#key}>
      <header>
        ${Marks.mark(20)}
        <div class="who">
          <h2 id="name">${agent.name}</h2>
          <div class="state">${this.#state()}</div>
        </div>
        <button class="icon" aria-label="Minimize" title="Minimize (Esc)" @click=${() => this.#fold()}>
          ${Marks.down}
        </button>
        <button class="icon" aria-label="End and close" title="End and close" @click=${() => this.#leave()}>
          ${Marks.close}
        </button>
      </header>
      ${this.#call.isOn ? this.#call.panel(agent.name, this.talk) : nothing}
      <div
        class="log"
        role="log"
        aria-live=${this.#call.isOn ? "off" : "polite"}
        aria-label="Conversation with ${agent.name}"
        tabindex="0"
        @scroll=${this.#scrolled}
      >
        ${opening === undefined ? nothing : this.#agentLine(opening)}
        ${repeat(
          lines,
          (line, at) => line.id ?? `${at} ${line.line}`,
          (line) => this.#line(line, agent.name),
        )}
        ${piece === "" ? nothing : this.#agentLine(piece, true)} ${this.#note(agent.name)}
      </div>
      ${this.#foot(agent.name)}
      <div class="notice">${theme.notice}</div>
    </section>`
  }

  /** Announces an agent's line once it is complete: screen readers would read a growing line many times. */
  #agentLine(text: string, growing = false): TemplateResult {
    return html`<div class="agent" aria-hidden=${growing ? "true" : nothing}>
      ${Marks.arc}<span class="said ${growing ? "cursor" : ""}">${text}</span>
    </div>`
  }

  #line(line: Line, agent: string): TemplateResult {
    if (line.by === "agent") {
      return html`<div class="agent">
        ${Marks.arc}<span class="heard">${agent}: </span
        ><span class="said ${line.interrupted === true ? "cut" : ""}">${line.text}</span>
      </div>`
    }
    const unsent = line.unsent === true || (line.line === 0 && this.talk.phase !== "open")
    return html`<div class="visitor ${unsent ? "unsent" : ""}">
      <span class="heard">You: </span><span class="said">${line.text}</span>
    </div>`
  }

  #state(): string {
    if (this.#call.isOn && this.talk.phase === "open") return `in a call, ${this.#call.duration}`
    switch (this.talk.phase) {
      case "connecting":
        return "connecting"
      case "idle":
      case "open":
        return this.talk.thinking || this.talk.piece !== "" ? "is writing" : "replies instantly"
      case "lost":
        return "connection lost"
      case "ended":
      case "refused":
        return "conversation ended"
    }
  }

  #note(agent: string) {
    const { end, phase, refusal, thinking } = this.talk
    const { note } = this.#call
    if (note !== undefined) return note
    if (this.#call.isOn) return nothing
    if (phase === "lost")
      return html`<div class="note waits">Connection lost. Reconnecting; what you write is kept.</div>`
    if (phase === "refused") return html`<div class="note trouble" role="alert">${sentenceOf(refusal)}</div>`
    if (phase === "ended" && end !== undefined)
      return html`<div class="note">${ends[end]?.(agent) ?? "The conversation ended."}</div>`
    if (phase === "open" && thinking) return html`<div class="note"><i></i>${agent} is thinking</div>`
    return nothing
  }

  #foot(agent: string) {
    const { phase } = this.talk
    if (this.#call.isOn) return this.#call.controls
    if ((phase === "ended" && this.#call.note === undefined) || phase === "refused") {
      return html`<form @submit=${(event: Event) => event.preventDefault()}>
        <button class="again" type="button" @click=${() => this.#again()}>Start again</button>
        ${this.#call.button(this.config?.features.voice === true)}
      </form>`
    }
    const isEmpty = this.draft.trim() === ""
    return html`<form @submit=${this.#write}>
      <div class="field">
        <textarea
          rows="1"
          maxlength=${longestText}
          aria-label="Write a message to ${agent}"
          placeholder="Write a message"
          .value=${live(this.draft)}
          @input=${(event: Event) => (this.draft = (event.target as HTMLTextAreaElement).value)}
        ></textarea>
        <button class="send ${isEmpty ? "" : "ready"}" aria-label="Send" ?disabled=${isEmpty}>${Marks.send}</button>
      </div>
      ${this.#call.button(this.config?.features.voice === true)}
    </form>`
  }

  async #again() {
    this.#call.note = undefined
    this.#connection.start()
    await this.updateComplete
    this.#find("textarea")?.focus()
  }
}
