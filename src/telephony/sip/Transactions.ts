/**
 * All open SIP transactions. Matches incoming messages with them (RFC 3261 §17.1.3, §17.2.3) and passes new requests to
 * the handlers. Each address may have only a limited number of them.
 */
import { createHmac } from "node:crypto"
import { ClientTransaction, type Outgoing, type Result, sentByOf, viaOf } from "./ClientTransaction.ts"
import { tagOf } from "./Fields.ts"
import type { Hop, Sender, Source } from "./Hop.ts"
import { branchCookie, newId } from "./Ids.ts"
import { cancelFields, type Invitation } from "./Invitation.ts"
import {
  type Field,
  type Message,
  type Request,
  type Response,
  type Unreadable,
  writeRequest,
  writeResponse,
} from "./Message.ts"
import { answerFields, sendResponse, ServerTransaction } from "./ServerTransaction.ts"
import type { Schedule } from "./Timers.ts"

/**
 * The most server transactions of one address, and of all. A transaction lives for 32 seconds after its final response.
 */
const mostOfOneAddress = 4_000
const mostOfAll = 20_000
/** Requests within our calls may use twice the limits, so that a flood of new calls does not keep out a BYE. */
const roomOfCalls = 2

/** A stateless response: a repeated request gets the same one. */
export interface Reply {
  readonly status: number
  readonly fields: ReadonlyArray<Field>
}

export interface Handlers {
  /** Answers a request that neither begins a call nor belongs to one; null for the others. */
  readonly reply: (request: Request) => Reply | null
  /** Called for each other new request. It must answer the request. */
  readonly request: (transaction: ServerTransaction) => void
  /** Whether the request belongs to a call of ours, by its dialog, which cannot be guessed. */
  readonly belongs: (request: Request) => boolean
  /** Called for the ACK of a 2xx, which has no transaction. */
  readonly ack: (request: Request) => void
}

export class Transactions {
  private readonly clients = new Map<string, ClientTransaction>()
  private readonly servers = new Map<string, ServerTransaction>()
  /** INVITEs by dialog and `CSeq` number. The ACK of a 2xx finds its INVITE by these, because its branch differs. */
  private readonly invites = new Map<string, ServerTransaction>()
  /** Keys of transactions by the parts of a request that stay the same when it arrives over two paths. */
  private readonly arrivals = new Map<string, string>()
  private readonly countOf = new Map<string, number>()
  private readonly sender: Sender
  private readonly schedule: Schedule
  private readonly handlers: Handlers

  constructor(sender: Sender, schedule: Schedule, handlers: Handlers) {
    this.sender = sender
    this.schedule = schedule
    this.handlers = handlers
  }

  /** How many transactions are open. */
  get size(): number {
    return this.clients.size + this.servers.size
  }

  /** Sends a request. */
  request(outgoing: Outgoing): ClientTransaction {
    return this.start(outgoing, `${branchCookie}${newId()}`)
  }

  /** Sends the CANCEL of an INVITE, of this process or another, that has had a provisional response and no final one. */
  cancel(invitation: Invitation, fields: ReadonlyArray<Field>, on: (result: Result) => void): void {
    const { branch, place, sent_by, uri } = invitation
    // The CANCEL repeats the `Via` of the INVITE, including its host and port.
    const hop: Hop = { ...place, localHost: "", mayUseTcp: false }
    const all = [...cancelFields(invitation), ...fields]
    this.start({ method: "CANCEL", uri, fields: all, hop, sentBy: sent_by, on }, branch)
  }

  /** Gives up a request that the peer does not answer, and stops repeating it. */
  abandon(request: ClientTransaction): void {
    request.stop()
    this.clients.delete(keyOfClient(request.branch, request.outgoing.method))
  }

  /** Sends the ACK of a 2xx. It is not a transaction: the caller sends it again for each repetition of the 2xx. */
  acknowledge({ fields, hop, uri }: Pick<Outgoing, "fields" | "hop" | "uri">): void {
    const via = viaOf(hop, `${branchCookie}${newId()}`, sentByOf(hop, this.sender))
    this.sender.send(writeRequest("ACK", uri, [via, ...fields]), hop, () => {})
  }

  receive(message: Message | Unreadable, source: Source): void {
    switch (message.kind) {
      case "request":
        return this.receiveRequest(message, source)
      case "response":
        return this.receiveResponse(message)
      case "unreadable":
        return this.refuse(message, source)
    }
  }

  /** Stops all timers. Nothing is reported after that. */
  close(): void {
    for (const transaction of [...this.clients.values(), ...this.servers.values()]) transaction.stop()
    this.clients.clear()
    this.servers.clear()
    this.invites.clear()
    this.arrivals.clear()
    this.countOf.clear()
  }

  private start(outgoing: Outgoing, branch: string): ClientTransaction {
    const key = keyOfClient(branch, outgoing.method)
    const ended = () => void this.clients.delete(key)
    const transaction = new ClientTransaction(outgoing, { sender: this.sender, schedule: this.schedule, branch, ended })
    this.clients.set(key, transaction)
    transaction.transmit()
    return transaction
  }

  /** Passes a response to its transaction, and drops it if there is none. */
  private receiveResponse(response: Response): void {
    const [{ params }] = response.vias
    this.clients.get(keyOfClient(params.get("branch") ?? "", response.method))?.receive(response)
  }

  private receiveRequest(request: Request, source: Source): void {
    const key = keyOf(request, request.method === "ACK" ? "INVITE" : request.method)
    const known = this.servers.get(key)
    if (request.method === "ACK") {
      const invite = known ?? this.invites.get(inviteKeyOf(request, tagOf(request.to)))
      if (invite?.acknowledge() !== true) this.handlers.ack(request)
      return
    }
    if (known !== undefined) return known.repeat()
    if (request.method === "CANCEL") return this.receiveCancel(request, source)
    const reply = this.handlers.reply(request)
    if (reply !== null) return this.answer(request, source, reply, statelessTag(request))
    const transaction = this.open(request, source, key)
    if (transaction === null) return
    const arrival = arrivalOf(request)
    if (arrival !== null && this.arrivals.has(arrival)) return transaction.respond(482)
    if (arrival !== null) this.arrivals.set(arrival, key)
    this.handlers.request(transaction)
  }

  /**
   * Null if the address, or all addresses together, have too many open transactions. The request is then dropped and
   * may come again.
   */
  private open(request: Request, source: Source, key: string): ServerTransaction | null {
    const { address } = source
    const count = this.countOf.get(address) ?? 0
    const room = this.handlers.belongs(request) ? roomOfCalls : 1
    if (this.servers.size >= room * mostOfAll || count >= room * mostOfOneAddress) return null
    this.countOf.set(address, count + 1)
    const ended = () => {
      this.servers.delete(key)
      this.invites.delete(inviteKeyOf(request, transaction.tag))
      const arrival = arrivalOf(request)
      if (arrival !== null && this.arrivals.get(arrival) === key) this.arrivals.delete(arrival)
      const left = (this.countOf.get(address) ?? 1) - 1
      if (left > 0) this.countOf.set(address, left)
      else this.countOf.delete(address)
    }
    const parts = { sender: this.sender, schedule: this.schedule, source, tag: newId(), ended }
    const transaction = new ServerTransaction(request, parts)
    this.servers.set(key, transaction)
    if (request.method === "INVITE") this.invites.set(inviteKeyOf(request, transaction.tag), transaction)
    return transaction
  }

  private receiveCancel(cancel: Request, source: Source): void {
    const invite = this.servers.get(keyOf(cancel, "INVITE"))
    const status = invite === undefined ? 481 : 200
    this.answer(cancel, source, { status, fields: [] }, invite?.tag ?? statelessTag(cancel))
    if (invite?.isAnswered === false) invite.cancelled()
  }

  private answer(request: Request, source: Source, { fields, status }: Reply, tag: string): void {
    const bytes = writeResponse(status, [...answerFields(request, source, status, tag), ...fields])
    sendResponse(bytes, request, source, this.sender)
  }

  /** Answers an unreadable request without a transaction, at its source address. */
  private refuse({ refusal }: Unreadable, source: Source): void {
    if (refusal === null) return
    const tagged = refusal.fields.map(([name, value]): Field => [name, name === "to" ? withTag(value) : value])
    const bytes = writeResponse(refusal.status, tagged)
    if (source.reply === null) this.sender.send(bytes, source, () => {})
    else source.reply(bytes)
  }
}

const tagSecret = newId()
/** §8.2.7: the same tag for each repetition of a request. It cannot be guessed. */
const statelessTag = (request: Request): string =>
  createHmac("sha1", tagSecret).update(keyOf(request, request.method)).digest("hex").slice(0, 24)

const keyOfClient = (branch: string, method: string): string => `${branch} ${method}`

const withTag = (to: string): string => (/;\s*tag\s*=/i.test(to) ? to : `${to};tag=${newId()}`)

/**
 * The key of a transaction (§17.2.3): its branch, or for peers older than RFC 3261 the fields that an ACK or CANCEL
 * repeats.
 */
const keyOf = ({ callId, cseq, from, vias }: Request, method: string): string => {
  const [{ host, params, port }] = vias
  const branch = params.get("branch") ?? ""
  const isUnique = branch.startsWith(branchCookie) && branch.length > branchCookie.length
  return `${isUnique ? branch : `${callId} ${cseq} ${tagOf(from)}`} ${host}:${port ?? ""} ${method}`
}

const inviteKeyOf = ({ callId, cseq, from }: Request, localTag: string): string =>
  `${callId} ${cseq} ${tagOf(from)} ${localTag}`

/**
 * Detects merged requests (§8.2.2.2): a request that a proxy sent over two paths arrives with two branches. Null within
 * a dialog.
 */
const arrivalOf = ({ callId, cseq, from, method, to }: Request): string | null =>
  tagOf(to) === "" && method !== "CANCEL" ? `${callId} ${cseq} ${method} ${tagOf(from)}` : null
