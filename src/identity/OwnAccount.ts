/**
 * An owner's changes to their own account: its name, its time zone, how long data is kept, and its members. The
 * platform sets the caps.
 */
import { Effect } from "effect"
import type { Account, Role } from "../domain/Account.ts"
import type { PageRequest } from "../domain/Page.ts"
import { CurrentPrincipal } from "../domain/Principal.ts"
import { InvalidState } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as Administration from "./Administration.ts"

type Naming = Parameters<typeof Administration.removeMember>[1]

const slugOf = Effect.map(CurrentTenant, ({ account }) => account.slug)

export const find = Effect.flatMap(slugOf, Administration.find)

type OwnSettings = Pick<
  Account,
  "name" | "time_zone" | "transcript_days" | "recording_days" | "call_days" | "event_days" | "audit_days"
>

export const update = (change: Partial<OwnSettings>, ifMatch: string | undefined) =>
  Effect.flatMap(slugOf, (slug) => Administration.update(slug, change, ifMatch))

export const members = (page: PageRequest) => Effect.flatMap(slugOf, (slug) => Administration.members(slug, page))

/** Adds a member, or changes the role of an existing one. */
export const putMember = Effect.fn("OwnAccount.putMember")(function* (naming: Naming, role: Role) {
  yield* refuseSelf(naming)
  return yield* Administration.putMember(yield* slugOf, naming, role)
})

export const removeMember = Effect.fn("OwnAccount.removeMember")(function* (naming: Naming) {
  yield* refuseSelf(naming)
  return yield* Administration.removeMember(yield* slugOf, naming)
})

/**
 * Refuses owners who name themselves: if they could demote or remove themselves, an account could be left without an
 * owner.
 */
const refuseSelf = Effect.fnUntraced(function* ({ email, issuer, subject }: Naming) {
  const asks = yield* CurrentPrincipal
  if (asks._tag !== "Person") return
  const isSelf =
    email === undefined
      ? issuer === asks.issuer && subject === asks.subject
      : email.toLowerCase() === asks.email?.toLowerCase()
  if (!isSelf) return
  const detail = "You can't change your own membership. Ask another owner of the account."
  return yield* new InvalidState({ state: "own_membership", detail })
})
