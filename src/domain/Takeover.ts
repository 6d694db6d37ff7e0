/** A take-over: a supervisor talks on a live call in the agent's place. Its record, and why it is refused. Pure. */
import { Schema } from "effect"
import { VersionAuthor } from "./AgentVersion.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"

/** Why the talk cannot be taken over at this moment. */
export type TakeoverRefusal = "ending" | "transfer" | "machine" | "digits"

export const refusalSentences: Record<TakeoverRefusal, string> = {
  ending: "The talk is ending.",
  transfer: "The agent is handing the call over to a person.",
  machine: "A machine has answered the call.",
  digits: "The other party is pressing a number, which must not be heard. Try again when that is done.",
}

export const CallTakeover = Schema.Struct({
  by: VersionAuthor,
  started_at: timestamp("When the call was taken over."),
  ended_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When the agent took the call back, or the call ended. Null while it goes on. If the process that conducted the call stopped meanwhile, it is the end of the call.",
  }),
}).annotate({
  identifier: "CallTakeover",
  description: "A member or an API key that talked with the other party in the agent's place.",
})
export type CallTakeover = typeof CallTakeover.Type

/** The ticket that opens the socket for the sound of a take-over. */
export const TakeoverTicket = Schema.Struct({
  token: Schema.String.annotate({
    description:
      "Opens the socket: send it in the first message. It is good for 30 seconds, and then for as long as the call is taken over, so that a socket that broke can be opened again.",
  }),
  expires_in: Schema.Int.annotate({ description: "Seconds within which the socket has to be opened." }),
  ws_path: Schema.String.annotate({ description: "The path of the WebSocket, on the host of this request." }),
}).annotate({ identifier: "TakeoverTicket" })
export type TakeoverTicket = typeof TakeoverTicket.Type

/** Seconds until the socket has to be opened: a browser may first ask for the microphone. */
export const ticketSeconds = 30

export const socketPath = "/api/v1/takeovers/ws"
