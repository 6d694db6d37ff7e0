/** A request of ours and its responses (RFC 3261 §17.1). */
import { type Hop, isReliable, type Sender, type Transport } from "./Hop.ts"
import { type Invitation, invitationOf } from "./Invitation.ts"
import { type Field, fieldOf, rawFieldsOf, type Response, writeRequest } from "./Message.ts"
import { RunningMachine } from "./RunningMachine.ts"
import type { Schedule } from "./Timers.ts"
import { type Action, type Event, inviteClient, otherClient } from "./TransactionTables.ts"
import { writeHost } from "./Uri.ts"

/** RFC 3261 §18.1.1: a longer datagram may be cut into fragments, which many networks drop. */
const mostDatagramBytes = 1_300

export type Result = Response | "timeout" | "unreachable"

export const isProvisional = (result: Result): boolean => typeof result !== "string" && result.status < 200

export const isAccepted = (result: Result): result is Response =>
  typeof result !== "string" && result.status >= 200 && result.status < 300

/** Whether the peer no longer knows the dialog in which a request was sent (RFC 3261 §12.2.1.2). */
export const hasLostDialog = (result: Result): boolean =>
  typeof result === "string" || result.status === 481 || result.status === 408

/** Whether the server failed or takes no requests at present, so that another of its addresses is worth a try. */
export const isServerFailure = (result: Result): boolean => typeof result === "string" || result.status === 503

export interface Outgoing {
  readonly method: string
  readonly uri: string
  /** Without `Via` and `Content-Length`. */
  readonly fields: ReadonlyArray<Field>
  readonly body?: Buffer
  readonly hop: Hop
  /** Host and port in `Via`, where they are not those of this process. */
  readonly sentBy?: string
  /** Called for each new response, for each repetition of a 2xx to an INVITE, and once if no final response comes. */
  readonly on: (result: Result) => void
}

interface Parts {
  readonly sender: Sender
  readonly schedule: Schedule
  readonly branch: string
  readonly ended: () => void
}

export class ClientTransaction {
  readonly outgoing: Outgoing
  readonly branch: string
  private readonly parts: Parts
  private hop: Hop
  private bytes: Buffer
  private machine: RunningMachine
  private latest: Response | null = null

  constructor(outgoing: Outgoing, parts: Parts) {
    this.outgoing = outgoing
    this.parts = parts
    this.branch = parts.branch
    this.hop = outgoing.hop
    this.bytes = this.write()
    // TCP is tried first, and UDP if nothing listens at that port.
    if (this.hop.mayUseTcp && this.hop.transport === "udp" && this.bytes.length > mostDatagramBytes) this.use("tcp")
    this.machine = this.begin()
  }

  /** Sends the request. Call it after all set-up, because sending may fail at once. */
  transmit(): void {
    const { machine } = this
    this.parts.sender.send(this.bytes, this.hop, () => {
      if (machine === this.machine) this.fail()
    })
  }

  receive(response: Response): void {
    this.latest = response
    this.machine.handle(eventOf(response.status))
  }

  /** What the CANCEL of this INVITE has to repeat. */
  get invitation(): Invitation {
    const { fields, uri } = this.outgoing
    return invitationOf(uri, fields, { branch: this.branch, sent_by: this.sentBy }, this.hop)
  }

  stop(): void {
    this.machine.stop()
  }

  private get sentBy(): string {
    return this.outgoing.sentBy ?? sentByOf(this.hop, this.parts.sender)
  }

  private use(transport: Transport): void {
    this.hop = { ...this.hop, transport }
    this.bytes = this.write()
  }

  private write(): Buffer {
    const { body, fields, method, uri } = this.outgoing
    return writeRequest(method, uri, [viaOf(this.hop, this.branch, this.sentBy), ...fields], body)
  }

  private begin(): RunningMachine {
    const { ended, schedule } = this.parts
    const kind = this.outgoing.method === "INVITE" ? inviteClient : otherClient
    return new RunningMachine(kind, isReliable(this.hop.transport), schedule, (action) => this.act(action), ended)
  }

  private fail(): void {
    if (this.hop.transport === this.outgoing.hop.transport) return void this.machine.handle("transportFailed")
    this.machine.stop()
    this.use(this.outgoing.hop.transport)
    this.machine = this.begin()
    this.transmit()
  }

  private act(action: Action): void {
    switch (action) {
      case "repeat":
        return this.transmit()
      case "pass":
        return this.latest === null ? undefined : this.outgoing.on(this.latest)
      case "acknowledge":
        return this.latest === null ? undefined : this.acknowledge(this.latest)
      case "reportTimeout":
        return this.outgoing.on("timeout")
      case "reportUnreachable":
        return this.outgoing.on("unreachable")
      case "reportUnacknowledged":
    }
  }

  /** The ACK of a refusal belongs to the transaction of its INVITE (§17.1.1.3). */
  private acknowledge(refusal: Response): void {
    const { fields, method, uri } = this.outgoing
    const routes = rawFieldsOf({ fields }, "route").map((route): Field => ["route", route])
    const sequence: Field = ["cseq", (fieldIn(fields, "cseq") ?? "").replace(method, "ACK")]
    const echoed = ["from", "to", "call-id"].map((name): Field => [name, fieldOf(refusal, name) ?? ""])
    const bytes = writeRequest("ACK", uri, [
      viaOf(this.hop, this.branch, this.sentBy),
      ["max-forwards", "70"],
      ...routes,
      ...echoed,
      sequence,
    ])
    this.parts.sender.send(bytes, this.hop, () => {})
  }
}

/** Our host and port for the `Via` of a request to this hop. */
export const sentByOf = ({ localHost, transport }: Hop, sender: Sender): string =>
  `${writeHost(localHost)}:${sender.localPort(transport)}`

/** The `Via` of our request. Responses repeat it on top, and proxies send them to it. */
export const viaOf = ({ transport }: Hop, branch: string, sentBy: string): Field => [
  "via",
  `SIP/2.0/${transport.toUpperCase()} ${sentBy};branch=${branch};rport`,
]

const fieldIn = (fields: ReadonlyArray<Field>, name: string) => fieldOf({ fields }, name)

const eventOf = (status: number): Event => (status < 200 ? "provisional" : status < 300 ? "success" : "refusal")
