/**
 * One SIP user agent over its sockets. It places and takes calls, and answers requests outside of calls. Plain code: it
 * handles messages as they arrive.
 */
import { sdpOf } from "./Body.ts"
import { abilities, allowed, type CallParts, type Receiver } from "./CallParts.ts"
import { keyOfDialog } from "./Dialog.ts"
import { tagOf } from "./Fields.ts"
import type { Hop, NamedPlace, Sender, Source } from "./Hop.ts"
import { IncomingCall } from "./IncomingCall.ts"
import { fieldOf, type Message, type Request, type Unreadable, valuesOf } from "./Message.ts"
import { type Order, OutgoingCall, type Progress } from "./OutgoingCall.ts"
import type { ServerTransaction } from "./ServerTransaction.ts"
import type { Schedule } from "./Timers.ts"
import * as SessionTimer from "./SessionTimer.ts"
import { type Reply, Transactions } from "./Transactions.ts"
import { writeUri } from "./Uri.ts"

export interface EndpointOptions {
  readonly sender: Sender
  readonly schedule: Schedule
  readonly resolve: CallParts["resolve"]
  readonly avoid: CallParts["avoid"]
  /** Called for each incoming call after the 100. It must ring, answer or refuse the call. */
  readonly incoming: (call: IncomingCall) => void
}

/** Extensions that a peer may require of us. */
const extensions = new Set(["timer", "100rel", "norefersub"])
const known = new Set([...allowed, "REGISTER", "SUBSCRIBE", "PUBLISH", "MESSAGE"])

export class Endpoint {
  readonly sessions = new Map<string, Receiver>()
  readonly transactions: Transactions
  private readonly options: EndpointOptions
  private readonly parts: CallParts

  constructor(options: EndpointOptions) {
    this.options = options
    const { avoid, resolve, schedule, sender } = options
    this.transactions = new Transactions(sender, schedule, {
      reply: (request) => this.reply(request),
      request: (transaction) => this.receive(transaction),
      belongs: (request) => this.sessionOf(request) !== undefined,
      ack: (request) => this.sessionOf(request)?.acknowledge(request),
    })
    const localPort = ({ transport }: Hop) => sender.localPort(transport)
    this.parts = { transactions: this.transactions, schedule, resolve, avoid, localPort, sessions: this.sessions }
  }

  /** Takes a message that arrived. */
  take(message: Message | Unreadable, source: Source): void {
    this.transactions.receive(message, source)
  }

  /** Prepares a call; `invite` places it. */
  call(order: Order, progress: Progress): OutgoingCall {
    return new OutgoingCall(order, this.parts, progress)
  }

  /** The parts for a session that continues another process's dialog. */
  get callParts(): CallParts {
    return this.parts
  }

  private sessionOf({ callId, from, to }: Request): Receiver | undefined {
    return this.sessions.get(keyOfDialog(callId, tagOf(to), tagOf(from)))
  }

  private reply(request: Request): Reply | null {
    const { method } = request
    if (method === "INVITE" || this.sessionOf(request) !== undefined) return null
    const refusal = refusalOf(request)
    if (refusal !== null) return refusal
    if (tagOf(request.to) !== "" || belongToDialogs.has(method)) return { status: 481, fields: [] }
    if (method === "OPTIONS") return { status: 200, fields: [...abilities, ["accept", "application/sdp"]] }
    return { status: known.has(method) ? 405 : 501, fields: [["allow", allowed.join(", ")]] }
  }

  /** An INVITE, or a request within a call. */
  private receive(transaction: ServerTransaction): void {
    const { request } = transaction
    const refusal = refusalOf(request)
    if (refusal !== null) return transaction.respond(refusal.status, refusal.fields)
    if (tagOf(request.to) === "") return this.receiveInvite(transaction)
    const session = this.sessionOf(request)
    return session === undefined ? transaction.respond(481) : session.receive(transaction)
  }

  private receiveInvite(transaction: ServerTransaction): void {
    const tooShort = SessionTimer.refusalOf(transaction.request)
    if (tooShort !== null) return transaction.respond(422, tooShort)
    transaction.respond(100)
    let isCancelled = false
    transaction.cancelled = () => {
      isCancelled = true
      transaction.respond(487)
    }
    const { source } = transaction
    const place: NamedPlace = { ...source, serverName: source.address }
    this.parts.resolve(writeUri(null, source.address, source.port), place, (hop) => {
      if (!isCancelled) this.options.incoming(new IncomingCall(transaction, hop, this.parts))
    })
  }
}

const belongToDialogs = new Set(["BYE", "NOTIFY", "INFO", "UPDATE", "PRACK"])

/** Checks a request of any method (§8.2). Returns the refusal; null if the request is acceptable. */
const refusalOf = (request: Request): Reply | null => {
  if (!/^sips?:/i.test(request.uri)) return { status: 416, fields: [] }
  const unknown = valuesOf(request, "require").filter((option) => !extensions.has(option.toLowerCase()))
  if (unknown.length > 0 && request.method !== "CANCEL")
    return { status: 420, fields: [["unsupported", unknown.join(", ")]] }
  if (request.method !== "INVITE") return null
  if (sdpOf(request) === "unsupported") return { status: 415, fields: [["accept", "application/sdp"]] }
  const accept = fieldOf(request, "accept")
  const takesSdp = accept === undefined || /application\/(?:sdp|\*)|\*\/\*/i.test(accept)
  return takesSdp ? null : { status: 406, fields: [] }
}
