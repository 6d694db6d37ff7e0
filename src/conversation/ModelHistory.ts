/**
 * Keeps the conversation of a voice model's connection equal to the talk's history. A message that the model has not
 * heard or said itself is added at its place.
 */
import type { Message } from "../brain/Brain.ts"
import { ofColleague } from "../brain/model/Dialogue.ts"
import type { ConversationItem, VoiceModelSession } from "../speech/VoiceModel.ts"

type Session = Pick<VoiceModelSession, "add" | "awaits" | "hasSaid" | "itemOf">

/** The most characters of the history that a new connection gets: about 6,000 tokens. */
const mostCharacters = 24_000

/** The id after which the first item of a conversation is placed. */
const atTheBeginning = "root"

export class ModelHistory {
  readonly #session: Session
  /** The ids of the messages that the connection has; null where the id is not known yet. */
  #known = new Map<Message | string, string | null>()
  /** The last result that was sent for each tool call. */
  #results = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Begins a new connection, which has no messages: it gets the last part of the history. */
  begin(history: ReadonlyArray<Message>): void {
    this.#known = new Map()
    this.#results = new Map()
    let left = mostCharacters
    const from = history.findLastIndex(({ text }) => (left -= text.length) < 0)
    for (const message of history.slice(0, from + 1)) {
      this.#known.set(keyOf(message), null)
      if (message.call !== undefined) this.#results.set(message.call, message.text)
    }
    this.add(history.slice(from + 1))
  }

  add(history: ReadonlyArray<Message>): void {
    let follows: string | null = this.#known.size === 0 ? atTheBeginning : null
    for (const message of history) follows = this.#place(message, follows)
  }

  /** Adds a system message at the end that is for the model alone and not in the talk's history. */
  tell(text: string): void {
    this.#session.add({ role: "system", text }, null)
  }

  /** Returns the message's id, after which the next one stands; null if it is not known. */
  #place(message: Message, follows: string | null): string | null {
    const key = keyOf(message)
    const id = this.#known.get(key) ?? this.#ownId(message)
    const hasNewResult = message.call !== undefined && this.#results.get(message.call) !== message.text
    if ((this.#known.has(key) || id !== null) && !hasNewResult) {
      this.#known.set(key, id)
      return id
    }
    const item = this.#itemOf(message)
    if (item === null) return null
    const added = this.#session.add(item, "call" in item ? null : follows)
    this.#known.set(key, added)
    if (message.call !== undefined) this.#results.set(message.call, message.text)
    return added
  }

  /** The id of a message that the model has heard or said itself; null if it has not. */
  #ownId({ sound, utterance }: Message): string | null {
    if (utterance !== undefined) return this.#session.itemOf(utterance)
    return sound !== undefined && this.#session.hasSaid(sound) ? sound : null
  }

  #itemOf(message: Message): ConversationItem | null {
    const { arguments: args = {}, call = "earlier", interrupted, meta, role, text, tool_name: name = "tool" } = message
    switch (role) {
      case "caller":
        // Speech whose words are not known is not added: the new connection hears it again.
        return text === "" ? null : { role: "user", text }
      case "agent":
        return { role: "assistant", text: interrupted === true ? `${text} [interrupted by the caller]` : text }
      case "person":
        return { role: "assistant", text: `${ofColleague} ${text}` }
      case "operator":
        return { role: "system", text: whispered(text) }
      case "tool": {
        const own = meta?.["call_id"]
        const isFirst = !this.#results.has(call)
        if (typeof own === "string" && isFirst && this.#session.awaits(own)) return { call: own, result: text }
        const again = isFirst ? call : `${call}_again_${this.#results.size}`
        return { call: again, result: text, tool: { name, args: JSON.stringify(args) } }
      }
    }
  }
}

const keyOf = (message: Message): Message | string => {
  if (message.utterance !== undefined) return `utterance ${message.utterance}`
  if (message.sound !== undefined) return `sound ${message.sound}`
  return message.call === undefined ? message : `call ${message.call}`
}

const whispered = (text: string): string =>
  `Your supervisor follows this call, unheard by the other side, and tells you: ${JSON.stringify(text)}. Follow it in your next reply, in your own words. Never read it out, quote it, or mention that there is a supervisor.`
