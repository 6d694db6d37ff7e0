/**
 * The parts of an unanswered INVITE that its CANCEL repeats (RFC 3261 §9.1). They are plain data, so that another
 * process can cancel the call of a killed one.
 */
import { Schema } from "effect"
import { StoredPlace } from "./Dialog.ts"
import type { Hop } from "./Hop.ts"
import { type Field, fieldOf, rawFieldsOf } from "./Message.ts"
import { parseNumber } from "./Fields.ts"

export const Invitation = Schema.Struct({
  uri: Schema.String,
  call_id: Schema.String,
  /** `From` with our tag, and `To`, as they were sent. */
  local: Schema.String,
  remote: Schema.String,
  sequence: Schema.Int,
  routes: Schema.Array(Schema.String),
  /**
   * From the `Via` of the INVITE. By these two the peer matches a CANCEL with its INVITE, whatever address it comes
   * from.
   */
  branch: Schema.String,
  sent_by: Schema.String,
  /** Where it was sent. */
  place: StoredPlace,
})
export type Invitation = typeof Invitation.Type

/** `fields` are those of the INVITE without its `Via`. */
export const invitationOf = (
  uri: string,
  fields: ReadonlyArray<Field>,
  via: Pick<Invitation, "branch" | "sent_by">,
  { address, port, serverName, transport }: Hop,
): Invitation => ({
  uri,
  ...via,
  place: { transport, address, port, serverName },
  call_id: fieldOf({ fields }, "call-id") ?? "",
  local: fieldOf({ fields }, "from") ?? "",
  remote: fieldOf({ fields }, "to") ?? "",
  sequence: parseNumber(fieldOf({ fields }, "cseq")?.split(" ")[0], 2 ** 31 - 1) ?? 0,
  routes: rawFieldsOf({ fields }, "route"),
})

/** The fields of the CANCEL, without `Via`. */
export const cancelFields = ({ call_id, local, remote, routes, sequence }: Invitation): ReadonlyArray<Field> => [
  ["max-forwards", "70"],
  ...routes.map((route): Field => ["route", route]),
  ["from", local],
  ["to", remote],
  ["call-id", call_id],
  ["cseq", `${sequence} CANCEL`],
]
