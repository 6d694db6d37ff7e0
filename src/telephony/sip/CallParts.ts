/** What calls need of the endpoint that they belong to. */
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
   * Finds the way to a URI and calls `then` with it, at once or later. A URI that leads to no address that we may reach
   * leads to `place`, where the peer's messages came from: behind a NAT a peer knows no other address of its own.
   */
  readonly resolve: (uri: string, place: NamedPlace, then: (hop: Hop) => void) => void
  /** The peer at this address failed: for a while it is tried after the other ones of its server. */
  readonly avoid: (place: Place) => void
  /** Our own port of a transport. */
  readonly localPort: (hop: Hop) => number
  /** A dialog begins or ends under this key: its requests are for `receiver`. */
  readonly sessions: Map<string, Receiver>
}

export interface Receiver {
  readonly receive: (transaction: ServerTransaction) => void
  readonly acknowledge: (request: Request) => void
}

export const allowed = ["INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "INFO", "UPDATE", "PRACK", "NOTIFY", "REFER"]

/** Where this peer reaches us, or one of our numbers. */
export const contactFor = (hop: Hop, port: number, user = "parley"): Field => {
  const transport = hop.transport === "udp" ? "" : `;transport=${hop.transport}`
  return ["contact", `<${writeUri(user, hop.localHost, port)}${transport}>`]
}

/** What each message that makes a dialog says of us. */
export const abilities: ReadonlyArray<Field> = [
  ["allow", allowed.join(", ")],
  ["supported", "timer, 100rel"],
]
