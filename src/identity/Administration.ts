/** A platform administrator's operations on accounts and their members (decisions §2, Account). */
import { Effect, Struct } from "effect"
import { type Account, accountDefaults, type AccountSlug, platformAdmin, type Role } from "../domain/Account.ts"
import type { Named } from "../domain/Member.ts"
import { canonicalOrNull } from "../domain/Money.ts"
import { inWords } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { NameTaken } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { Provisioning } from "../tenancy/Provisioning.ts"
import { Memberships } from "./Memberships.ts"

type AccountChange = Partial<Account>
type NewAccount = AccountChange & { readonly slug: AccountSlug }

/** The person, by email or by issuer and subject. */
type Naming = { readonly email?: string; readonly issuer?: string; readonly subject?: string }

export const list = Effect.fn("Administration.list")(function* (request: PageRequest) {
  const page = yield* AccountDirectory.use((directory) => directory.page(request))
  return { ...page, items: page.items.map(({ account }) => account) }
})

export const find = (slug: string) => Effect.map(entryOf(slug), withRevision)

export const create = Effect.fn("Administration.create")(function* ({ name, slug, ...settings }: NewAccount) {
  if (slug === platformAdmin) return yield* new NameTaken({ resource: "account", name: slug })
  const account = { ...accountDefaults, ...settingsOf(settings), slug, name: name ?? inWords(slug) }
  return withRevision(yield* Provisioning.use((provisioning) => provisioning.create(account)))
})

export const update = Effect.fn("Administration.update")(function* (
  slug: string,
  { name, ...settings }: AccountChange,
  ifMatch: string | undefined,
) {
  const provisioning = yield* Provisioning
  const changed = yield* provisioning.update(slug, ({ account, revision }) =>
    Effect.as(checkMatch(ifMatch, revision), { ...account, ...settingsOf(settings), name: name ?? account.name }),
  )
  return withRevision(changed)
})

export const remove = (slug: string) => Provisioning.use((provisioning) => provisioning.drop(slug))

export const members = Effect.fn("Administration.members")(function* (slug: string, page: PageRequest) {
  const { id } = yield* entryOf(slug)
  return yield* Memberships.use((memberships) => memberships.list(id, page))
})

export const putMember = Effect.fn("Administration.putMember")(function* (slug: string, naming: Naming, role: Role) {
  const { id } = yield* entryOf(slug)
  return yield* Memberships.use((memberships) => memberships.put(id, nameOf(naming), role))
})

export const removeMember = Effect.fn("Administration.removeMember")(function* (slug: string, naming: Naming) {
  const { id } = yield* entryOf(slug)
  return yield* Memberships.use((memberships) => memberships.remove(id, nameOf(naming)))
})

const entryOf = (slug: string) => AccountDirectory.use((directory) => directory.find(slug))

const withRevision = ({ account, revision }: AccountEntry) => ({ ...account, revision })

/** Drops the read-only fields that a client sent back. */
const settingsOf = ({ daily_spend_cap, ...settings }: AccountChange) => ({
  ...(daily_spend_cap === undefined ? {} : { daily_spend_cap: canonicalOrNull(daily_spend_cap) }),
  ...Struct.pick(settings, [
    "concurrent_max",
    "calls_per_minute",
    "calls_per_day",
    "time_zone",
    "calling_window",
    "consent_days",
    "transcript_days",
    "recording_days",
    "call_days",
    "event_days",
    "audit_days",
    "discoverable",
    "status",
  ]),
})

/** The contract guarantees that one of the two is given. */
const nameOf = ({ email, issuer = "", subject = "" }: Naming): Named =>
  email === undefined ? { issuer, subject } : { email }
