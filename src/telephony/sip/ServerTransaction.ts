/** A server transaction: a peer's request and our responses (RFC 3261 §17.2). */
import { splitList, tagOf } from "./Fields.ts"
import { defaultPort, isReliable, type Sender, type Source } from "./Hop.ts"
import { type Field, fieldOf, rawFieldsOf, type Request, valuesOf, writeResponse } from "./Message.ts"
import { RunningMachine } from "./RunningMachine.ts"
import type { Schedule } from "./Timers.ts"
import { type Action, inviteServer, otherServer } from "./TransactionTables.ts"

interface Parts {
  readonly sender: Sender
  readonly schedule: Schedule
  readonly source: Source
  /** The tag of our responses, if the request's `To` has none. */
  readonly tag: string
  readonly ended: () => void
}

export class ServerTransaction {
  readonly request: Request
  readonly source: Source
  readonly tag: string
  /** Called when the peer cancels the request before a final response. The CANCEL has already been answered. */
  cancelled = () => {}
  /** Called if our 2xx to an INVITE was not acknowledged in 32 seconds. */
  unacknowledged = () => {}
  private readonly parts: Parts
  private readonly machine: RunningMachine
  private bytes: Buffer | null = null

  constructor(request: Request, parts: Parts) {
    this.request = request
    this.parts = parts
    this.source = parts.source
    this.tag = tagOf(request.to) === "" ? parts.tag : tagOf(request.to)
    const kind = request.method === "INVITE" ? inviteServer : otherServer
    const reliable = isReliable(parts.source.transport)
    this.machine = new RunningMachine(kind, reliable, parts.schedule, (action) => this.act(action), parts.ended)
  }

  /** Whether a final response was sent. */
  get isAnswered(): boolean {
    return this.machine.state !== "trying" && this.machine.state !== "proceeding"
  }

  /** Sends a response. Does nothing after a final response. */
  respond(status: number, fields: ReadonlyArray<Field> = [], body?: Buffer): void {
    if (this.isAnswered) return
    this.bytes = writeResponse(status, [...answerFields(this.request, this.source, status, this.tag), ...fields], body)
    this.machine.handle(status < 200 ? "provisional" : status < 300 ? "success" : "refusal")
  }

  /** Takes a repetition of the request. */
  repeat(): void {
    this.machine.handle("request")
  }

  /** Takes an ACK. Returns false for the ACK of a 2xx, which the dialog handles. */
  acknowledge(): boolean {
    const isSuccess = this.machine.state === "accepted" || this.machine.state === "acknowledged"
    this.machine.handle("ack")
    return !isSuccess
  }

  stop(): void {
    this.machine.stop()
  }

  private act(action: Action): void {
    if (action === "reportUnacknowledged") return this.unacknowledged()
    if (this.bytes !== null) sendResponse(this.bytes, this.request, this.source, this.parts.sender)
  }
}

/** The fields that a response copies from its request (§8.2.6). */
export const answerFields = (request: Request, source: Source, status: number, tag: string): ReadonlyArray<Field> => {
  const [top = "", ...others] = rawFieldsOf(request, "via").flatMap(splitList)
  const to = fieldOf(request, "to") ?? ""
  const isTagged = status === 100 || tagOf(request.to) !== ""
  const isDialog = request.method === "INVITE" && status > 100 && status < 300
  return [
    ["via", markVia(top, source)],
    ...others.map((via): Field => ["via", via]),
    ...(isDialog ? valuesOf(request, "record-route").map((route): Field => ["record-route", route]) : []),
    ["from", fieldOf(request, "from") ?? ""],
    ["to", isTagged ? to : `${to};tag=${tag}`],
    ["call-id", request.callId],
    ["cseq", `${request.cseq} ${request.method}`],
  ]
}

/** Adds the source of the request to its top `Via` (§18.2.1, RFC 3581). */
const markVia = (via: string, { address, port }: Source): string =>
  `${via.replace(/;\s*rport\s*(?=;|$)/i, `;rport=${port}`)};received=${address}`

/**
 * Sends a response (§18.2.2): over the request's connection, else to its source address. The port is that of the `Via`,
 * or the source port if the `Via` asks for it (`rport`).
 */
export const sendResponse = (bytes: Buffer, request: Request, source: Source, sender: Sender): void => {
  if (source.reply?.(bytes) === true) return
  const [{ params, port }] = request.vias
  const { address, transport } = source
  const isSymmetric = params.has("rport") && transport === "udp"
  sender.send(
    bytes,
    { transport, address, port: isSymmetric ? source.port : (port ?? defaultPort(transport)) },
    () => {},
  )
}
