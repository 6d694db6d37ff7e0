/**
 * Sends a trunk an OPTIONS request (RFC 3261 §11), which places no call. Repeats it with credentials if the trunk asks
 * for them.
 */
import { Authoriser } from "./Authoriser.ts"
import { type CallParts, contactFor } from "./CallParts.ts"
import type { ClientTransaction, Result } from "./ClientTransaction.ts"
import { requestIn } from "./Dialog.ts"
import { newId } from "./Ids.ts"
import type { Hop } from "./Hop.ts"
import type { Order } from "./OutgoingCall.ts"

export interface Question extends Pick<Order, "to" | "from" | "credentials"> {
  readonly hop: Hop
}

/** Calls `report` once, with the final response or why there was none. The returned function gives up. */
export const askTrunk = (
  { credentials, from, hop, to }: Question,
  { localPort, transactions }: CallParts,
  report: (result: Result) => void,
): (() => void) => {
  const authoriser = new Authoriser(credentials)
  const asking = { call_id: newId(), local: from, local_tag: newId(), local_sequence: 0, remote: `<${to}>`, target: to }
  const dialog = { ...asking, remote_tag: "", remote_sequence: null, routes: [], place: hop }
  let latest: ClientTransaction | null = null
  const ask = (tries: number): void => {
    const { fields, uri } = requestIn(dialog, "OPTIONS", tries)
    latest = transactions.request({
      method: "OPTIONS",
      uri,
      hop,
      fields: [
        ...fields,
        contactFor(hop, localPort(hop)),
        ["accept", "application/sdp"],
        ...authoriser.fieldsFor("OPTIONS", uri),
      ],
      on: (result) => {
        if (typeof result === "string") return report(result)
        if (result.status < 200) return
        if (authoriser.learns(result, tries)) return ask(tries + 1)
        report(result)
      },
    })
  }
  ask(1)
  return () => (latest === null ? undefined : transactions.abandon(latest))
}
