/** The account's phone numbers (decisions §2, Phone number). Credentials in `carrier_config` are sealed at rest. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { isUuid } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { paceIssues, permitsMore } from "../domain/NumberPace.ts"
import { type Carrier, PhoneNumber } from "../domain/PhoneNumber.ts"
import { requirePermission } from "../domain/Principal.ts"
import { InUse, Invalid, invalid, type Issue, NotFound, unknownReference } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import { json } from "../tenancy/Json.ts"
import * as Ticks from "../tenancy/Ticks.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { sipIssues } from "../domain/SipConfig.ts"
import { telnyxIssues } from "../domain/TelnyxConfig.ts"
import { twilioIssues } from "../domain/TwilioConfig.ts"
import { InboundNumbers } from "../tenancy/InboundNumbers.ts"
import { CatalogSettings } from "./CatalogSettings.ts"
import * as InboundListing from "./InboundListing.ts"
import { equal, matchingNumber, pageOf } from "./Listing.ts"
import { type Lock, lookUp } from "./Lookup.ts"
import * as Secrets from "./Secrets.ts"
import { refuseTaken } from "./UniqueName.ts"

const Row = Schema.toType(Schema.Struct({ ...PhoneNumber.fields, revision: Schema.Int }))
export type PhoneNumberRow = typeof Row.Type
const phoneNumbers = { row: Row, table: "phone_numbers", resource: "phone number" }

const placeOf = (id: string) => `phone_numbers/${id}`

const maskRow = (row: PhoneNumberRow): PhoneNumberRow => ({
  ...row,
  carrier_config: Secrets.maskSecrets(row.carrier_config),
})

/** The row as it is stored, with its secrets sealed. */
const findStored = (id: string, lock?: Lock) =>
  isUuid(id) ? lookUp(phoneNumbers, id, lock) : new NotFound({ resource: phoneNumbers.resource, id })

/** The number with its secrets masked, as in every answer. */
export const find = (id: string) => Effect.map(findStored(id), maskRow)

/** The number with its secrets open, for use at the carrier only. */
export const findForCarrier = Effect.fnUntraced(function* (id: string) {
  const row = yield* findStored(id)
  return { ...row, carrier_config: yield* Secrets.openSecrets(placeOf(row.id), row.carrier_config) }
})

/** The fields that a client writes. */
export type PhoneNumberFields = Omit<PhoneNumber, "id" | "created_at" | "updated_at">
export type NewPhoneNumber = Pick<PhoneNumberFields, "number" | "carrier"> & Partial<PhoneNumberFields>

const defaults = {
  label: "",
  carrier_config: {},
  inbound_agent_id: null,
  max_calls_per_day: null,
  min_seconds_between_calls: null,
}

export interface PhoneNumberFilter extends PageRequest {
  readonly carrier?: Carrier
  readonly search?: string
}

export const list = Effect.fnUntraced(function* (filter: PhoneNumberFilter) {
  const sql = yield* SqlClient.SqlClient
  const page = yield* pageOf(
    {
      row: Row,
      columns: sql.literal("*"),
      from: sql.literal("phone_numbers"),
      where: [equal(sql, "carrier", filter.carrier), matchingNumber(sql, filter.search, "number", ["label"])],
    },
    filter,
  )
  return { ...page, items: yield* Ticks.map(page.items, maskRow) }
})

export const create = Effect.fn("PhoneNumbers.create")(
  function* ({ number, ...given }: NewPhoneNumber) {
    const sql = yield* SqlClient.SqlClient
    const id = uuidv7()
    const columns = yield* checkFields(id, { ...defaults, ...given, number })
    yield* sql`insert into phone_numbers ${sql.insert({ id, ...columns })}`.pipe(refuseTaken("phone number", number))
    const created = yield* Effect.orDie(find(id))
    yield* InboundListing.list(created)
    return created
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

export const update = Effect.fn("PhoneNumbers.update")(
  function* (id: string, change: Partial<PhoneNumberFields>, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* findStored(id, "for update")
    yield* checkMatch(ifMatch, present.revision)
    const { number, carrier, label, inbound_agent_id, max_calls_per_day, min_seconds_between_calls } = {
      ...present,
      ...change,
    }
    if (carrier !== present.carrier) yield* refuseInPool(present)
    // If the request has no config, the present one is used as the wire shows it: its masks keep the secrets.
    const carrier_config = change.carrier_config ?? Secrets.maskSecrets(present.carrier_config)
    const limits = { max_calls_per_day, min_seconds_between_calls }
    const fields = { number, carrier, label, inbound_agent_id, carrier_config, ...limits }
    const columns = yield* checkFields(id, fields, present)
    if (permitsMore(fields, present)) yield* requirePermission("dial")
    yield* sql`
      update phone_numbers set ${sql.update(columns)}, revision = revision + 1, updated_at = now()
      where id = ${present.id}`.pipe(refuseTaken("phone number", number))
    const updated = yield* Effect.orDie(find(present.id))
    yield* InboundListing.list(updated)
    return updated
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Deletes a number. Refused while a campaign that has not ended dials from it. */
export const remove = Effect.fn("PhoneNumbers.remove")(
  function* (id: string, ifMatch?: string) {
    const sql = yield* SqlClient.SqlClient
    const { number, revision } = yield* findStored(id, "for update")
    yield* checkMatch(ifMatch, revision)
    const [user] = yield* sql<{ readonly name: string }>`
      select name from campaigns where ${id}::uuid = any(caller_numbers || phone_number_id) and status in ('draft', 'running', 'paused') limit 1`
    if (user !== undefined) {
      const reason = `The number ${number} cannot be deleted: the campaign ${user.name} dials from it.`
      return yield* new InUse({ resource: "phone number", detail: reason })
    }
    yield* sql`delete from phone_numbers where id = ${id}`
    const directory = yield* InboundNumbers
    yield* directory.remove(id)
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** All numbers of a pool have one carrier. */
const refuseInPool = Effect.fnUntraced(function* ({ id, number }: PhoneNumberRow) {
  const sql = yield* SqlClient.SqlClient
  const [user] = yield* sql<{ readonly name: string }>`
    select name from campaigns
    where ${id}::uuid = any(caller_numbers || phone_number_id) and cardinality(caller_numbers) > 0
      and status in ('draft', 'running', 'paused') limit 1`
  if (user === undefined) return
  const detail = `The carrier of ${number} cannot change: the campaign ${user.name} dials from it and from other numbers of its carrier.`
  return yield* new InUse({ resource: "phone number", detail })
})

/** Checks every field of a number, seals its secrets and returns its columns. */
const checkFields = Effect.fnUntraced(function* (id: string, fields: PhoneNumberFields, present?: PhoneNumberRow) {
  const sql = yield* SqlClient.SqlClient
  const { labNumbers } = yield* CatalogSettings
  if (fields.carrier === "lab" && present?.carrier !== "lab" && !labNumbers) {
    return yield* invalid("/carrier", "lab is the simulated network; in production it needs PARLEY_LAB=1")
  }
  const { inbound_agent_id: agent } = fields
  if (agent !== null) {
    const found = yield* sql`select from agents where id = ${agent} for key share`
    if (found.length === 0) return yield* unknownReference("/inbound_agent_id", "agent", agent)
  }
  const stored = present && { config: present.carrier_config, isElsewhere: isElsewhere(fields, present) }
  const sealed = yield* Secrets.sealSecrets(placeOf(id), "/carrier_config", fields.carrier_config, stored)
  const issues = [...paceIssues(fields.carrier_config), ...issuesOf[fields.carrier](fields.carrier_config)]
  if (issues.length > 0) return yield* new Invalid({ errors: issues })
  return { ...fields, carrier_config: json(sealed) }
})

const issuesOf: Record<Carrier, (carrier_config: Schema.JsonObject) => ReadonlyArray<Issue>> = {
  lab: () => [],
  sip: sipIssues,
  telnyx: telnyxIssues,
  twilio: twilioIssues,
}

/** The names of settings that determine where the carrier is. */
const leadsTo =
  /(?:^|_)(?:url|uri|host|hostname|domain|server|proxy|registrar|endpoint|address|region|realm|transport)$/iu

const destinationsIn = (value: Schema.Json, name = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return leadsTo.test(name) ? [`${name}=${String(value)}`] : []
  return Object.entries(value).flatMap(([key, inner]) => destinationsIn(inner, key))
}

/**
 * Whether the new settings lead to another destination. Stored credentials must not be sent to a destination other than
 * the one they were given for.
 */
const isElsewhere = (next: PhoneNumberFields, present: PhoneNumberRow): boolean => {
  const [now, before] = [next, present].map(({ carrier_config }) => destinationsIn(carrier_config).toSorted())
  return JSON.stringify(now) !== JSON.stringify(before)
}
