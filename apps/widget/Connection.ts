/**
 * The conversation as the page has it: session, socket, lines. It goes on over broken sockets, keeps what was written
 * while there was none, and never sends a session's token anywhere but to the server that gave it.
 */
import type { ChatEnd, ChatLine, FromServer, FromVisitor, SoundOrder } from "../../src/domain/WidgetMessage.ts"

export interface Session {
  readonly session_token: string
  readonly expires_in: number
  readonly ws_url: string
}

export interface Line extends Omit<ChatLine, "type" | "line"> {
  /** 0 until the server has it. */
  readonly line: number
}

export type Mode = "chat" | "voice"

export type Phase = "idle" | "connecting" | "open" | "lost" | "ended" | "refused"

export interface Talk {
  readonly phase: Phase
  readonly lines: ReadonlyArray<Line>
  /** The part of the agent's present line that has arrived. */
  readonly piece: string
  readonly thinking: boolean
  readonly end: ChatEnd | undefined
  readonly refusal: Refusal | undefined
  /** The mode of the present or last conversation. */
  readonly mode: Mode
}

export interface Refusal {
  readonly code: string
  readonly detail: string
  readonly retryAfter: number | undefined
}

export interface Doors {
  /** A fresh session; fails with `Refused` where asking again does not help. */
  readonly session: () => Promise<Session>
  readonly open: (url: string) => WebSocket
  readonly changed: (talk: Talk) => void
  /** The secret of the chat that a page may take up after a reload; undefined when there is none any more. */
  readonly kept?: (resume: string | undefined) => void
  /** A received frame to play, and what to do with frames that are not played yet. */
  readonly sounded?: (frame: ArrayBuffer) => void
  readonly ordered?: (what: SoundOrder, frame: number) => void
}

/** The server said no, and why. */
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

/** A token is not used in its last minute: the socket opens some time after it was fetched. */
const reserve = 60_000
const pingEvery = 20_000
/** Longer than a ping and its answer take on any line that is worth having. */
const longestSilence = 35_000
const firstPause = 500
/** A visitor who speaks waits for a line as long as on a telephone. Then the text is kept, and they can write. */
const callsBack = 3
/** The most sound that waits for the network: new words are worth more than late ones. */
const mostUnsent = 64 * 1_024
const longestPause = 15_000

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
  /** True while the server has not answered whether the chat of the previous page continues. */
  #isTakingUp = false
  /** Lines of earlier conversations; lines of this one that the server has, in its order; and lines not sent yet. */
  #past: ReadonlyArray<Line> = []
  #said: ReadonlyArray<Line> = []
  #pending: ReadonlyArray<Line> = []
  #failures = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #pulse: ReturnType<typeof setInterval> | undefined
  #heard = 0

  constructor(doors: Doors) {
    this.#doors = doors
  }

  get talk(): Talk {
    return this.#talk
  }

  /** Begins a conversation or continues the present one. A voice call replaces a chat. */
  start(mode: Mode = "chat"): void {
    const { phase } = this.#talk
    const isLive = phase === "connecting" || phase === "open" || phase === "lost"
    if (isLive && (mode === "chat" || this.#talk.mode === mode)) return
    if (isLive) this.end()
    this.#anew()
    this.#failures = 0
    this.#change({ phase: "connecting", mode, end: undefined, refusal: undefined, piece: "", thinking: false })
    void this.#connect()
  }

  /** Goes on with the chat that this tab had before a reload. If it is over, nothing is shown of it. */
  takeUp(resume: string): void {
    if (this.#talk.phase !== "idle") return
    this.#resume = resume
    this.#isTakingUp = true
    this.#change({ phase: "connecting" })
    void this.#connect()
  }

  /** 20 ms of the visitor's voice. */
  speak(frame: Uint8Array<ArrayBuffer>): void {
    const socket = this.#socket
    if (socket?.readyState !== 1 || this.#talk.phase !== "open" || this.#talk.mode !== "voice") return
    if (socket.bufferedAmount <= mostUnsent) socket.send(frame)
  }

  /** Shown at once; sent as soon as there is a socket, and again if it is unknown whether it arrived. */
  write(text: string): void {
    const id = crypto.randomUUID()
    const line: Line = { line: 0, by: "visitor", text, id }
    this.start()
    this.#pending = [...this.#pending, line]
    this.#change({ lines: this.#lines() })
    this.#send({ type: "text", id, text })
  }

  /** The visitor is done. */
  end(): void {
    this.#send({ type: "end" })
    this.#close()
    const { phase, piece } = this.#talk
    if (phase === "idle") return
    // The agent's unfinished line stays as far as it came.
    if (piece !== "") this.#said = [...this.#said, { line: this.#said.length + 1, by: "agent", text: piece }]
    this.#doors.kept?.(undefined)
    this.#change({ phase: "ended", end: "visitor_left", lines: this.#lines(), piece: "", thinking: false })
  }

  /** Closes the connection because the widget is removed. The conversation may continue in another page. */
  leave(): void {
    this.#close()
  }

  /** Reconnects at once, because the page is visible again or the network is back. */
  hurry(): void {
    if (this.#talk.phase !== "lost") return
    clearTimeout(this.#retry)
    void this.#connect()
  }

  #lines(): ReadonlyArray<Line> {
    return [...this.#past, ...this.#said, ...this.#pending]
  }

  /** A new conversation counts its lines from 1. Earlier lines stay readable. */
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

  async #connect(): Promise<void> {
    try {
      const now = Date.now()
      if (this.#session === undefined || now > this.#session.until) {
        const value = await this.#doors.session()
        this.#session = { value, until: now + value.expires_in * 1_000 - reserve }
      }
    } catch (cause) {
      // A visitor over the limit is told. A conversation that is resumed waits instead, as it does for a network.
      const isHeldBack = (refusal: Refusal) => refusal.code === "rate_limited" && this.#resume === undefined
      if (cause instanceof Refused && (cause.refusal.retryAfter === undefined || isHeldBack(cause.refusal))) {
        return this.#refuse(cause.refusal)
      }
      return this.#again()
    }
    if (this.#talk.phase === "ended" || this.#talk.phase === "idle") return
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
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.#lost()
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
        // The token has expired meanwhile: the next connect fetches a new one.
        if (code === "unauthenticated" && this.#failures === 0) {
          this.#session = undefined
          return this.#lost()
        }
        return this.#refuse({ code, detail, retryAfter: retry_after_seconds })
      }
    }
  }

  #ready({ resume, resumed }: Extract<FromServer, { type: "ready" }>): void {
    this.#failures = 0
    if (!resumed) this.#anew()
    this.#resume = resume
    this.#isTakingUp = false
    // A call needs a microphone, which a page may open only after a press.
    this.#doors.kept?.(this.#talk.mode === "chat" ? resume : undefined)
    this.#change({ phase: "open" })
    for (const { id, text } of this.#pending) if (id !== undefined) this.#send({ type: "text", id, text })
  }

  #add({ type: _, ...line }: ChatLine): void {
    // A gap cannot be: the server tells its lines in order, from where it was told.
    if (line.line !== this.#said.length + 1) return
    this.#said = [...this.#said, line]
    this.#pending = this.#pending.filter(({ id }) => id !== line.id)
    this.#change({ lines: this.#lines(), ...(line.by === "agent" ? { piece: "", thinking: false } : {}) })
  }

  #lost(): void {
    this.#close()
    this.#change({ phase: "lost", piece: "", thinking: false })
    this.#again()
  }

  #again(): void {
    if (this.#talk.mode === "voice" && this.#failures >= callsBack) {
      return this.#change({ phase: "ended", end: "interrupted" })
    }
    if (this.#talk.phase === "connecting" && this.#failures > 0) this.#change({ phase: "lost" })
    const pause = Math.min(longestPause, firstPause * 2 ** this.#failures++) * (0.5 + Math.random() / 2)
    this.#retry = setTimeout(() => void this.#connect(), pause)
  }

  /** The chat from before the reload has ended: show the page without it, but keep text that was typed meanwhile. */
  #giveUp(): void {
    this.#doors.kept?.(undefined)
    this.#anew()
    this.#change({ ...before, lines: this.#lines() })
    if (this.#pending.length > 0) this.start()
  }

  #refuse(refusal: Refusal): void {
    this.#close()
    if (this.#isTakingUp) return this.#giveUp()
    // Another page took the conversation over, and keeps it.
    if (refusal.code !== "replaced") this.#doors.kept?.(undefined)
    this.#change({ phase: "refused", refusal, piece: "", thinking: false })
  }

  #close(): void {
    clearTimeout(this.#retry)
    clearInterval(this.#pulse)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }
}
