/**
 * A visitor who chats with an agent, as the widget does it (docs/widget.md, The socket protocol): it connects again when
 * its server is gone, resumes the conversation, and sends again what may not have arrived.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Parley } from "./parley.ts"

interface Session {
  readonly session_token: string
  readonly ws_url: string
}

interface Line {
  readonly line: number
  readonly by: "agent" | "visitor"
  readonly text: string
  readonly id?: string
}

type FromServer =
  | { readonly type: "ready"; readonly resume: string }
  | ({ readonly type: "line" } & Line)
  | { readonly type: "ended" | "refused"; readonly reason?: string; readonly detail?: string }
  | { readonly type: "piece" | "thinking" | "pong" }

export interface Visitor {
  readonly lines: ReadonlyArray<Line>
  /** Writes, and returns the answer: the lines of the agent until it has said nothing more for a moment. */
  readonly ask: (text: string) => Promise<string>
  readonly leave: () => void
}

const pauseMs = 200
const answerMs = 30_000
/** An agent's answer is several lines, one a sentence. */
const answeredAfterMs = 700

/** Begins a chat. `key` is a secret key of the widget, which in a real page stays at the company's server. */
export const visit = (url: string, key: string): Visitor => {
  const server = new Parley(url, key)
  const lines: Array<Line> = []
  const unsent = new Map<string, string>()
  let resume: string | undefined
  let socket: WebSocket | undefined
  let isOver = false
  let failure: Error | undefined
  /** Why the last attempt to connect failed. */
  let why = ""

  const send = (message: object) => {
    if (socket?.readyState === WebSocket.OPEN && resume !== undefined) socket.send(JSON.stringify(message))
  }

  const hear = (message: FromServer) => {
    switch (message.type) {
      case "ready":
        resume = message.resume
        for (const [id, text] of unsent) send({ type: "text", id, text })
        return
      case "line":
        if (message.line !== lines.length + 1) return
        lines.push(message)
        if (message.id !== undefined) unsent.delete(message.id)
        return
      case "ended":
      case "refused":
        isOver = true
        failure = new Error(`The chat ended: ${message.detail ?? message.reason}`)
        return
    }
  }

  /** One socket, from its hello until it closes. */
  const connectOnce = async () => {
    const { session_token, ws_url } = await server.post<Session>("/api/v1/widget/auth/token", { user: { name: "Kim" } })
    const opened = (socket = new WebSocket(ws_url))
    await new Promise<void>((resolve) => {
      opened.addEventListener("open", () => {
        const again = resume === undefined ? {} : { resume, after: lines.length }
        opened.send(JSON.stringify({ type: "hello", token: session_token, ...again }))
      })
      opened.addEventListener("message", ({ data }) => hear(JSON.parse(String(data)) as FromServer))
      opened.addEventListener("close", () => resolve())
      opened.addEventListener("error", () => resolve())
    })
  }
  const stay = async (): Promise<void> => {
    await connectOnce().catch((cause: unknown) => (why = String(cause)))
    if (isOver) return
    await sleep(pauseMs)
    return stay()
  }
  void stay()

  return {
    lines,
    ask: async (text) => {
      const id = randomUUID()
      unsent.set(id, text)
      send({ type: "text", id, text })
      const began = Date.now()
      let heard = 0
      let quietSince = began
      while (Date.now() - began < answerMs) {
        if (failure !== undefined) throw failure
        const at = lines.findIndex((line) => line.id === id)
        const answer = at < 0 ? [] : lines.slice(at + 1)
        if (answer.length > heard) quietSince = Date.now()
        heard = answer.length
        if (heard > 0 && Date.now() - quietSince > answeredAfterMs) return answer.map((line) => line.text).join(" ")
        await sleep(50)
      }
      throw new Error(`The agent did not answer "${text}" within ${answerMs / 1_000} s. ${why}`)
    },
    leave: () => {
      isOver = true
      send({ type: "end" })
      socket?.close()
    },
  }
}
