/**
 * Deletes what an account stores about a person, or one call. It works in small transactions that hold the budget's
 * lock, as everything does that writes on contacts, so no dial pass and no end of a call runs in between.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Exports } from "../archive/Exports.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import * as ContactCopy from "../campaigns/lists/ContactCopy.ts"
import { CampaignSignals } from "../campaigns/dialling/CampaignSignals.ts"
import * as Consents from "../catalog/Consents.ts"
import * as ErasedNumbers from "../catalog/ErasedNumbers.ts"
import { type E164, isE164 } from "../domain/E164.ts"
import type { ErasedPerson } from "../domain/Erasure.ts"
import { isUuid } from "../domain/Name.ts"
import { toE164 } from "../domain/NumberText.ts"
import { InvalidState, NotFound } from "../domain/Refusals.ts"
import { RecordingSweep } from "../recording/RecordingSweep.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CallRemoval from "./CallRemoval.ts"
import * as ContactErasure from "./ContactErasure.ts"

type InTenant = CurrentTenant | SqlClient.SqlClient

/** Calls and contacts per transaction. With 100, dialling waited up to 380 ms for the budget on a busy machine. */
const rowsAtOnce = 25

export class Erasure extends Context.Service<
  Erasure,
  {
    /**
     * Deletes what the account stores about the person with this number. Fails while the person is in a call. A
     * repeated request removes what was added since.
     */
    readonly erasePerson: (phoneNumber: string) => Effect.Effect<ErasedPerson, NotFound | InvalidState, InTenant>
    /** Deletes a call that has ended, with the calls that were placed to hand it over. */
    readonly deleteCall: (id: string) => Effect.Effect<void, NotFound | InvalidState, InTenant>
  }
>()("erasure/Erasure") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const signals = yield* CampaignSignals
      const { deleteSound } = yield* RecordingSweep
      const { withdraw } = yield* Exports

      const erasePerson = Effect.fn("Erasure.erasePerson")(
        function* (phoneNumber: string) {
          const number = toE164(phoneNumber)
          if (!isE164(number)) return yield* new NotFound({ resource: "person with the number", id: phoneNumber })
          const tenant = yield* CurrentTenant
          yield* AuditTrail.noteNumber(number)
          const { consents, do_not_call } = yield* transaction(Effect.tap(begin(number), AuditTrail.write()))
          const idempotent_answers = yield* removeAnswersAbout(number)
          let total = { ...none, consents, do_not_call, idempotent_answers }
          for (let batch = yield* find(number); batch !== null; batch = yield* find(number)) {
            const { calls, campaigns, contacts } = yield* transaction(eraseBatch(number, batch))
            const answers = yield* CallRemoval.removeAnswers(batch.ids)
            const recordings = yield* deleteSound(tenant, calls.recordings)
            yield* Effect.forEach(campaigns, (id) => signals.announceChange(tenant.account.slug, id))
            total = {
              ...total,
              calls: total.calls + calls.calls,
              transcripts: total.transcripts + calls.transcripts,
              recordings: total.recordings + recordings,
              recordings_elsewhere: total.recordings_elsewhere + calls.recordings.length - recordings,
              contacts: total.contacts + contacts.contacts,
              decisions: total.decisions + calls.records + contacts.decisions,
              events: total.events + batch.seqs.length,
              webhook_answers: total.webhook_answers + calls.webhook_answers,
              idempotent_answers: total.idempotent_answers + answers,
            }
          }
          // This comes last: an export that began meanwhile may have read what was there.
          yield* withdraw
          return total
        },
        Effect.catchTag("SqlError", Effect.die),
      )

      const deleteCall = Effect.fn("Erasure.deleteCall")(
        function* (id: string) {
          const ids = isUuid(id) ? yield* CallRemoval.withTransfers([id]) : []
          if (!ids.includes(id.toLowerCase())) return yield* new NotFound({ resource: "call", id })
          const seqs = yield* CallRemoval.findEvents(ids)
          const removal = Effect.andThen(lockBudget(), CallRemoval.remove({ ids, seqs }))
          const { recordings } = yield* transaction(Effect.tap(removal, AuditTrail.write()))
          yield* CallRemoval.removeAnswers(ids)
          yield* deleteSound(yield* CurrentTenant, recordings)
          yield* withdraw
        },
        Effect.catchTag("SqlError", Effect.die),
      )
      return { erasePerson, deleteCall }
    }),
  )
}

const none: ErasedPerson = {
  calls: 0,
  transcripts: 0,
  recordings: 0,
  recordings_elsewhere: 0,
  contacts: 0,
  decisions: 0,
  events: 0,
  webhook_answers: 0,
  idempotent_answers: 0,
  consents: 0,
  do_not_call: false,
}

/**
 * Replaces the entry on the do-not-call list by a digest, and makes the entries of the consent ledger anonymous. Returns
 * whether the number is on the list, and how many entries there were.
 */
const begin = Effect.fnUntraced(function* (number: E164) {
  yield* lockBudget()
  yield* refuseWhileInCall(number)
  return { do_not_call: yield* ErasedNumbers.erase(number), consents: yield* Consents.erase(number) }
})

/** Deletes the answers that were stored for requests to add the number to the do-not-call list. */
const removeAnswersAbout = Effect.fnUntraced(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`
    delete from idempotency
    where right(split_part(headers ->> 'location', '?', 1), ${path(number).length}::int) = ${path(number)} returning key`
  return removed.length
})

const path = (number: E164) => `/api/v1/suppressions/${encodeURIComponent(number)}`

interface Batch extends CallRemoval.FoundCalls {
  readonly contacts: ReadonlyArray<string>
}

/** Contacts with the number, their calls, and other calls with it, without a lock. Null if there are none. */
const find = Effect.fnUntraced(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  const called = yield* sql<{ readonly id: string }>`
    select id from calls where contact_id is not null and to_number = ${number}
    union all
    select id from calls
    where contact_id is null and (case direction when 'outbound' then to_number else from_number end) = ${number}
    union all
    select l.id from contacts c join calls l on l.contact_id = c.id
    where c.additional_numbers is not null and l.to_number <> ${number}
      and (c.phone_number = ${number} or c.additional_numbers @> array[${number}::text])
    limit ${rowsAtOnce}`
  const ids = yield* CallRemoval.withTransfers(called.map(({ id }) => id))
  // The calls to a person's other numbers are found by their contact, so the contact is erased with the last of them.
  const contacts = called.length < rowsAtOnce ? yield* ContactErasure.find(number, rowsAtOnce) : []
  if (ids.length === 0 && contacts.length === 0) return null
  const batch: Batch = { ids, contacts, seqs: yield* CallRemoval.findEvents([...ids, ...contacts]) }
  return batch
})

/** Erases one batch. Rows that were added after `find` are left to the next batch. */
const eraseBatch = Effect.fnUntraced(function* (number: E164, batch: Batch) {
  yield* ContactCopy.holdCopies()
  yield* lockBudget()
  yield* refuseWhileInCall(number)
  const contacts = yield* ContactErasure.erase(batch.contacts)
  yield* Campaigns.endFinished(contacts.campaigns)
  return { calls: yield* CallRemoval.remove(batch), contacts, campaigns: contacts.campaigns }
})

/**
 * Fails if the person is in a call. The caller holds the budget's lock: without it, a dial pass could begin a call to
 * the person afterwards.
 */
const refuseWhileInCall = Effect.fnUntraced(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  const [call] = yield* sql<{ readonly status: string }>`
    select c.status from live_calls l join calls c on c.id = l.call_id
    where (case c.direction when 'outbound' then c.to_number else c.from_number end) = ${number}
      or c.id in (select h.call_id from held_lines h where h.line = ${number}) limit 1`
  if (call === undefined) return
  const detail = "The person is in a call. Hang up, or wait for its end, then repeat the request."
  return yield* new InvalidState({ state: call.status, detail })
})
