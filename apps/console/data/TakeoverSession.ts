/** A call that this page has taken over: its microphone and loudspeaker, over a socket that reconnects. */
import type { TakeoverTicket } from "../../../src/domain/Takeover.ts"
import type { ToSupervisor } from "../../../src/domain/TakeoverMessage.ts"
import { Voice } from "../../widget/sound/Voice.ts"
import { LiveSocket } from "./LiveSocket.ts"
import { Problem, problemOf } from "./Problem.ts"

/** `telling`: the agent announces to the other party that a colleague takes over. */
export type TakeoverPhase = "telling" | "talking" | "reconnecting"

export type TakeoverOver = Extract<ToSupervisor, { readonly type: "ended" | "refused" }>

export interface TakeoverEvents {
  readonly phase: (phase: TakeoverPhase) => void
  readonly endsAt: (moment: Date) => void
  readonly over: (how: TakeoverOver) => void
}

/** A process that cannot reach the call's process refuses; another one may answer the next request, or the next socket. */
const tries = 3
const againAfter = 250
/** Milliseconds without a socket after which the agent has taken the call back. */
const lostAfter = 5_000

const askUntilReached = async (ask: () => Promise<TakeoverTicket>): Promise<TakeoverTicket> => {
  for (let left = tries - 1; ; left--) {
    try {
      return await ask()
    } catch (error) {
      if (left === 0 || problemOf(error).code !== "call_elsewhere") throw error
    }
  }
}

export class TakeoverSession {
  readonly #ticket: TakeoverTicket
  readonly #voice: Voice
  readonly #events: TakeoverEvents
  #socket: LiveSocket | undefined
  #isOver = false
  #hasBegun = false
  #left = tries
  #lostAt: number | undefined

  private constructor(ticket: TakeoverTicket, voice: Voice, events: TakeoverEvents) {
    this.#ticket = ticket
    this.#voice = voice
    this.#events = events
    this.#connect()
  }

  /** Asks for the microphone and then for the call. Browsers require a user's press. */
  static async open(ask: () => Promise<TakeoverTicket>, events: TakeoverEvents): Promise<TakeoverSession> {
    let session: TakeoverSession | undefined
    const voice = await Voice.open("", {
      spoke: (frame) => session?.send(frame),
      lost: () => session?.handBack(),
    }).catch(() => {
      throw new Problem({
        status: 0,
        code: "no_microphone",
        title: "No microphone",
        detail:
          "The browser gave no microphone, so the call was not taken over. Allow it for this page, then try again.",
      })
    })
    try {
      session = new TakeoverSession(await askUntilReached(ask), voice, events)
      return session
    } catch (error) {
      voice.close()
      throw error
    }
  }

  set isMuted(isMuted: boolean) {
    this.#voice.isMuted = isMuted
  }

  handBack(): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "hand_back" }))
    else this.#end({ type: "ended", reason: "lost" })
  }

  /** Called when the user leaves the page. The agent takes the call back. */
  close(): void {
    this.handBack()
    this.#isOver = true
    this.#voice.close()
    this.#socket?.close()
  }

  private send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame)
  }

  #connect(): void {
    const url = new URL(this.#ticket.ws_path, location.href)
    url.protocol = url.protocol.replace("http", "ws")
    const socket = new LiveSocket(url)
    socket.binaryType = "arraybuffer"
    this.#socket = socket
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "hello", token: this.#ticket.token })))
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === "string") this.#take(JSON.parse(data))
      else this.#voice.hear(data)
    })
    socket.addEventListener("close", () => this.#again())
  }

  #take(message: ToSupervisor): void {
    if (message.type === "ready") {
      this.#hasBegun = true
      this.#lostAt = undefined
      if (message.ends_at !== null) this.#events.endsAt(new Date(message.ends_at))
      this.#events.phase("telling")
    } else if (message.type === "connected") this.#events.phase("talking")
    else if (message.type === "ended" || this.#hasBegun || this.#left === 0) this.#end(message)
  }

  /** Reconnects after the socket has closed. */
  #again(): void {
    if (this.#isOver) return
    if (!this.#hasBegun) this.#left--
    this.#lostAt ??= Date.now()
    if (Date.now() - this.#lostAt > lostAfter) return this.#end({ type: "ended", reason: "lost" })
    if (this.#hasBegun) this.#events.phase("reconnecting")
    setTimeout(() => (this.#isOver ? undefined : this.#connect()), againAfter)
  }

  #end(how: TakeoverOver): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#voice.close()
    this.#socket?.close()
    this.#events.over(how)
  }
}
