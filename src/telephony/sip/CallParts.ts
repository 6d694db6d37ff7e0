/** The parts of an endpoint that its calls use. */
import type { Hop, NamedPlace, Place } from "./Hop.ts"
import type { Field, Request } from "./Message.ts"
import type { ServerTransaction } from "./ServerTransaction.ts"
import type { Schedule } from "./Timers.ts"
import type { Transactions } from "./Transactions.ts"
import { writeUri } from "./Uri.ts"

export interface CallParts {
  readonly transactions: Transactions
  readonly schedule: Schedule
  /**
   * Finds the next hop to a URI and calls `then` with it, at once or later. If the URI has no address that we may
   * reach, the hop leads to `place`, the source of the peer's messages: a peer behind NAT may know only a private
   * address.
   */
  readonly resolve: (uri: string, place: NamedPlace, then: (hop: Hop) => void) => void
  /** Reports that this address failed. For a while the other addresses of its server are tried first. */
  readonly avoid: (place: Place) => void
  /** Our own port for the hop's transport. */
  readonly localPort: (hop: Hop) => number
  /** The receivers of requests within dialogs, by the dialog's key. */
  readonly sessions: Map<string, Receiver>
}

export interface Receiver {
  readonly receive: (transaction: ServerTransaction) => void
  readonly acknowledge: (request: Request) => void
}

export const allowed = ["INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "INFO", "UPDATE", "PRACK", "NOTIFY", "REFER"]

/** The `Contact` field at which this peer reaches us or one of our numbers. */
export const contactFor = (hop: Hop, port: number, user = "parley"): Field => {
  const transport = hop.transport === "udp" ? "" : `;transport=${hop.transport}`
  return ["contact", `<${writeUri(user, hop.localHost, port)}${transport}>`]
}

/** Our capabilities, for each message that creates a dialog. */
export const abilities: ReadonlyArray<Field> = [
  ["allow", allowed.join(", ")],
  ["supported", "timer, 100rel"],
]
