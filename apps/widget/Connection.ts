/**
 * The conversation as the page has it: session, socket, lines. It survives broken sockets, keeps what was written in
 * between, and sends a session's token only to the server that issued it.
 */
import type { ChatEnd, ChatLine, FromServer, FromVisitor, SoundOrder } from "../../src/domain/WidgetMessage.ts"
import { type Refusal, Refused } from "./Refused.ts"
import { Retry } from "./Retry.ts"

export interface Session {
  readonly session_token: string
  readonly expires_in: number
  readonly ws_url: string
}

export interface Line extends Omit<ChatLine, "type" | "line"> {
  /** The server's number for the line. 0 until the server has the line. */
  readonly line: number
  /** The visitor ended the conversation before the server had the line. */
  readonly unsent?: true
}

export type Mode = "chat" | "voice"

export type Phase = "idle" | "connecting" | "open" | "lost" | "ended" | "refused"

export interface Talk {
  readonly phase: Phase
  readonly lines: ReadonlyArray<Line>
  /** The part of the agent's unfinished line that has arrived. */
  readonly piece: string
  readonly thinking: boolean
  readonly end: ChatEnd | undefined
  readonly refusal: Refusal | undefined
  /** The mode of the present or last conversation. */
  readonly mode: Mode
}

export interface Doors {
  /** Requests a new session. Fails with `Refused` if a retry would not help. */
  readonly session: () => Promise<Session>
  readonly open: (url: string) => WebSocket
  readonly changed: (talk: Talk) => void
  /** Stores the secret with which the chat continues after a reload. Undefined removes it. */
  readonly kept?: (resume: string | undefined) => void
  /** `sounded` gets a received frame to play, `ordered` an order about frames that are not played yet. */
  readonly sounded?: (frame: ArrayBuffer) => void
  readonly ordered?: (what: SoundOrder, frame: number) => void
}

/** Milliseconds before its expiry in which a token is not used, since the socket opens some time after the check. */
const reserve = 60_000
const pingEvery = 20_000
/** Milliseconds without a message after which the socket counts as dead: longer than a ping on a usable connection. */
const longestSilence = 35_000
/**
 * Reconnects of a voice call before it ends: a speaker does not wait for long. The text is kept, and they can write.
 */
const callsBack = 3
/** Bytes of unsent sound above which new frames are dropped: late sound is useless. */
const mostUnsent = 64 * 1_024
/** RFC 6455: the server's process restarts. */
const restarting = 1012

const before: Talk = {
  phase: "idle",
  lines: [],
  piece: "",
  thinking: false,
  end: undefined,
  refusal: undefined,
  mode: "chat",
}

export class Connection {
  #talk = before
  #doors: Doors
  #socket: WebSocket | undefined
  #session: { readonly value: Session; readonly until: number } | undefined
  #resume: string | undefined
  /** True until the server has answered whether the chat from before the reload continues. */
  #isTakingUp = false
  /**
   * Lines of earlier conversations; lines of this one that the server has, in its order; lines that it may not have.
   */
  #past: ReadonlyArray<Line> = []
  #said: ReadonlyArray<Line> = []
  #pending: ReadonlyArray<Line> = []
  readonly #retry = new Retry()
  #pulse: ReturnType<typeof setInterval> | undefined
  #heard = 0
  /** Counts up when the connection is closed, so that an attempt to connect in progress finds out. */
  #attempt = 0

  constructor(doors: Doors) {
    this.#doors = doors
  }

  get talk(): Talk {
    return this.#talk
  }

  /** Begins a conversation, or continues the present one. A voice call replaces a chat. */
  start(mode: Mode = "chat"): void {
    if (this.#isLive && (mode === "chat" || this.#talk.mode === mode)) return
    if (this.#isLive) this.#finish()
    this.#anew()
    this.#retry.failures = 0
    this.#change({ phase: "connecting", mode, end: undefined, refusal: undefined, piece: "", thinking: false })
    void this.#connect()
  }

  /** Continues the chat that this tab had before a reload. If that chat has ended, nothing of it is shown. */
  takeUp(resume: string): void {
    if (this.#talk.phase !== "idle") return
    this.#resume = resume
    this.#isTakingUp = true
    this.#change({ phase: "connecting" })
    void this.#connect()
  }

  /** Sends 20 ms of the visitor's voice. */
  speak(frame: Uint8Array<ArrayBuffer>): void {
    const socket = this.#socket
    if (socket?.readyState !== 1 || this.#talk.phase !== "open" || this.#talk.mode !== "voice") return
    if (socket.bufferedAmount <= mostUnsent) socket.send(frame)
  }

  /** Shows the text at once. Sends it as soon as there is a socket, and again if it may not have arrived. */
  write(text: string): void {
    const id = crypto.randomUUID()
    const line: Line = { line: 0, by: "visitor", text, id }
    this.start()
    this.#pending = [...this.#pending, line]
    this.#change({ lines: this.#lines() })
    this.#send({ type: "text", id, text })
  }

  /** Ends the conversation for the visitor. Text that the server may not have is not sent into the next one. */
  end(): void {
    this.#finish()
    this.#said = [...this.#said, ...this.#pending.map((line) => ({ ...line, unsent: true as const }))]
    this.#pending = []
    if (this.#talk.phase !== "idle") this.#change({ lines: this.#lines() })
  }

  /** Ends the conversation. Text that the server may not have goes into the call that replaces a chat. */
  #finish(): void {
    this.#send({ type: "end" })
    this.#close()
    const { phase, piece } = this.#talk
    if (phase === "idle") return
    // Keep the part of the agent's unfinished line that has arrived.
    if (piece !== "") this.#said = [...this.#said, { line: this.#said.length + 1, by: "agent", text: piece }]
    this.#doors.kept?.(undefined)
    this.#change({ phase: "ended", end: "visitor_left", lines: this.#lines(), piece: "", thinking: false })
  }

  /** Closes the connection because the widget is removed. The conversation may continue on another page. */
  leave(): void {
    this.#close()
  }

  /**
   * Continues after `leave`: the page has put the widget elsewhere. A call has lost its microphone and ends, but its
   * text stays.
   */
  rejoin(): void {
    if (!this.#isLive || this.#socket !== undefined) return
    if (this.#talk.mode === "voice") return this.#finish()
    this.#change({ phase: this.#talk.phase === "open" ? "lost" : this.#talk.phase })
    void this.#connect()
  }

  /** Reconnects at once: the page is visible again, or the network is back. */
  hurry(): void {
    if (this.#talk.phase !== "lost") return
    void this.#connect()
  }

  get #isLive(): boolean {
    const { phase } = this.#talk
    return phase === "connecting" || phase === "open" || phase === "lost"
  }

  #lines(): ReadonlyArray<Line> {
    return [...this.#past, ...this.#said, ...this.#pending]
  }

  /** Prepares for a new conversation, whose lines count from 1. Earlier lines stay readable. */
  #anew(): void {
    this.#resume = undefined
    this.#isTakingUp = false
    this.#past = [...this.#past, ...this.#said]
    this.#said = []
  }

  #change(change: Partial<Talk>): void {
    this.#talk = { ...this.#talk, ...change }
    this.#doors.changed(this.#talk)
  }

  #send(message: FromVisitor): void {
    if (this.#socket?.readyState === 1 && this.#talk.phase === "open") this.#socket.send(JSON.stringify(message))
  }

  /** Replaces the socket, and an attempt to connect that is in progress: there is one socket at most. */
  async #connect(): Promise<void> {
    this.#close()
    const attempt = this.#attempt
    try {
      const now = Date.now()
      if (this.#session === undefined || now > this.#session.until) {
        const value = await this.#doors.session()
        this.#session = { value, until: now + value.expires_in * 1_000 - reserve }
      }
    } catch (cause) {
      if (attempt !== this.#attempt) return
      // A visitor over the limit gets the refusal. A conversation being resumed retries, as after a network failure.
      const isHeldBack = (refusal: Refusal) => refusal.code === "rate_limited" && this.#resume === undefined
      if (cause instanceof Refused && (cause.refusal.retryAfter === undefined || isHeldBack(cause.refusal))) {
        return this.#refuse(cause.refusal)
      }
      return this.#again()
    }
    if (attempt !== this.#attempt) return
    this.#listen(this.#session.value)
  }

  #listen({ session_token, ws_url }: Session): void {
    const socket = this.#doors.open(ws_url)
    socket.binaryType = "arraybuffer"
    this.#socket = socket
    this.#heard = Date.now()
    socket.addEventListener("open", () => {
      const hello: FromVisitor = {
        type: "hello",
        token: session_token,
        ...(this.#talk.mode === "voice" ? { mode: "voice" } : {}),
        ...(this.#resume === undefined ? {} : { resume: this.#resume, after: this.#said.length }),
      }
      socket.send(JSON.stringify(hello))
    })
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return
      this.#heard = Date.now()
      if (data instanceof ArrayBuffer) return this.#doors.sounded?.(data)
      this.#hear(JSON.parse(String(data)) as FromServer)
    })
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.#socket) this.#lost(code === restarting)
    })
    this.#pulse = setInterval(() => {
      if (Date.now() - this.#heard > longestSilence) return this.#lost()
      this.#send({ type: "ping" })
    }, pingEvery)
  }

  #hear(message: FromServer): void {
    switch (message.type) {
      case "ready":
        return this.#ready(message)
      case "line":
        return this.#add(message)
      case "piece":
        return this.#change({ piece: message.text, thinking: false })
      case "thinking":
        return this.#change({ thinking: message.on })
      case "sound":
        return this.#doors.ordered?.(message.do, message.frame)
      case "ended":
        this.#close()
        if (this.#isTakingUp) return this.#giveUp()
        this.#doors.kept?.(undefined)
        return this.#change({ phase: "ended", end: message.reason, piece: "", thinking: false })
      case "refused": {
        const { code, detail, retry_after_seconds } = message
        // The token has expired in the meantime. The next connect requests a new one.
        if (code === "unauthenticated" && this.#retry.failures === 0) {
          this.#session = undefined
          return this.#lost()
        }
        return this.#refuse({ code, detail, retryAfter: retry_after_seconds })
      }
    }
  }

  #ready({ resume, resumed }: Extract<FromServer, { type: "ready" }>): void {
    this.#retry.failures = 0
    if (!resumed) this.#anew()
    this.#resume = resume
    this.#isTakingUp = false
    // Only a chat continues after a reload: a call needs the microphone, which requires a press.
    this.#doors.kept?.(this.#talk.mode === "chat" ? resume : undefined)
    this.#change({ phase: "open" })
    for (const { id, text } of this.#pending) if (id !== undefined) this.#send({ type: "text", id, text })
  }

  #add({ type: _, ...line }: ChatLine): void {
    // Skips lines that are known already. There are no gaps, since the server sends lines in order from `after`.
    if (line.line !== this.#said.length + 1) return
    this.#said = [...this.#said, line]
    this.#pending = this.#pending.filter(({ id }) => id !== line.id)
    this.#change({ lines: this.#lines(), ...(line.by === "agent" ? { piece: "", thinking: false } : {}) })
  }

  /** `moved`: the server gave the conversation to another process, which is there already. */
  #lost(moved = false): void {
    this.#close()
    this.#change({ phase: "lost", piece: "", thinking: false })
    this.#again(moved)
  }

  #again(moved = false): void {
    if (this.#talk.mode === "voice" && this.#retry.failures >= callsBack) {
      return this.#change({ phase: "ended", end: "interrupted" })
    }
    if (this.#talk.phase === "connecting" && this.#retry.failures > 0) this.#change({ phase: "lost" })
    this.#retry.plan(() => void this.#connect(), moved)
  }

  /** The chat from before the reload has ended. Shows none of it, but keeps text typed in the meantime. */
  #giveUp(): void {
    this.#doors.kept?.(undefined)
    this.#anew()
    this.#change({ ...before, lines: this.#lines() })
    if (this.#pending.length > 0) this.start()
  }

  #refuse(refusal: Refusal): void {
    this.#close()
    if (this.#isTakingUp) return this.#giveUp()
    // If another page has taken the conversation over, that page keeps the secret.
    if (refusal.code !== "replaced") this.#doors.kept?.(undefined)
    this.#change({ phase: "refused", refusal, piece: "", thinking: false })
  }

  #close(): void {
    this.#attempt++
    this.#retry.cancel()
    clearInterval(this.#pulse)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }
}
