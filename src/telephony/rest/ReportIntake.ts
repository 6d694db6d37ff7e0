/**
 * Takes the carriers' reports. Any process may receive a report, so it is stored in the account's database before it is
 * answered. A request that is not signed for the call's account changes nothing.
 */
import { Effect, FiberMap, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { AccountNotFound, AccountSlug } from "../../domain/Account.ts"
import { longestCallSeconds } from "../../domain/Agent.ts"
import type { CallId } from "../../domain/Call.ts"
import { isTerminal } from "../../domain/CarrierReport.ts"
import { isUuid } from "../../domain/Name.ts"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { NotKept, SignatureWrong } from "../CarrierCallbacks.ts"
import type { News } from "../CarrierCalls.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import type { FinalReport, UnconfirmedCall } from "../Telephony.ts"

/** The most numbers of one account at the carrier whose keys are tried for a request. */
const keysTried = 10

const CallRow = Schema.Struct({
  phone_number_id: Schema.NullOr(Schema.String),
  to_number: Schema.NullOr(Schema.String),
  from_number: Schema.NullOr(Schema.String),
  started_at: Schema.Date,
  ended_at: Schema.NullOr(Schema.Date),
})
type CallRow = typeof CallRow.Type

const callRow = Effect.fnUntraced(function* (id: string) {
  if (!isUuid(id)) return null
  const sql = yield* SqlClient.SqlClient
  const found = yield* Rows.first(CallRow)(sql`
    select phone_number_id::text, to_number, from_number, started_at, ended_at from calls where id = ${id}`)
  return found ?? null
}, Effect.orDie)

/** The setting that names an account at the carrier, and its value. */
export interface AccountAtCarrier {
  readonly carrier: Carrier
  readonly setting: string
  readonly value: string
}

/** Numbers of this account at the carrier, the call's own first. */
export const listNumbersAt = Effect.fnUntraced(function* (at: AccountAtCarrier, own: string | null) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id::text from phone_numbers
    where carrier = ${at.carrier} and carrier_config ->> ${at.setting} = ${at.value}
    order by id is distinct from ${own}::uuid, created_at limit ${keysTried}`
  return yield* Effect.forEach(rows, ({ id }) => PhoneNumbers.findForCarrier(id))
}, Effect.orDie)

export interface KnownCall {
  /** Null: the account has no such call. */
  readonly row: CallRow | null
  /** The number whose settings verified the request. */
  readonly number: PhoneNumbers.PhoneNumberRow
}

const decodeSlug = Schema.decodeUnknownOption(AccountSlug)

/** Ends a call at its carrier. */
type Close = (call: UnconfirmedCall) => Effect.Effect<FinalReport>

/**
 * Ends a live call that no process conducts: the others declared the process that ordered it dead before the call
 * began.
 */
const endStray = (call: UnconfirmedCall, close: Close) =>
  Effect.logWarning("call that was given up is live at its carrier; ending it").pipe(
    Effect.andThen(close(call)),
    Effect.annotateLogs({ account: call.account, call: call.call_id }),
  )

/** `close` ends a call at the carrier whose reports this intake takes. */
export const make = Effect.fnUntraced(function* (close: Close) {
  const feeds = yield* CarrierFeeds
  const strays = yield* FiberMap.make<string>()

  /** Returns the call and its number if `isSigned` accepts the request for one of the numbers; fails otherwise. */
  const verify = Effect.fnUntraced(function* (
    account: AccountSlug,
    call: string,
    at: AccountAtCarrier,
    isSigned: (number: PhoneNumbers.PhoneNumberRow) => boolean,
  ): Effect.fn.Return<KnownCall, unknown> {
    const { numbers, row } = yield* Effect.gen(function* () {
      const row = yield* callRow(call)
      return { row, numbers: yield* listNumbersAt(at, row?.phone_number_id ?? null) }
    }).pipe(feeds.within(account))
    const number = numbers.find(isSigned)
    return number === undefined ? yield* new SignatureWrong() : { row, number }
  })

  /** Stores a verified report. */
  const keep = Effect.fnUntraced(function* (
    account: AccountSlug,
    id: CallId,
    known: { readonly row: CallRow; readonly number: PhoneNumbers.PhoneNumberRow },
    news: News,
  ) {
    const told = yield* feeds.tell(account, id, news)
    if (told === null) yield* Effect.logError("carrier has two calls for one of ours")
    else if (known.row.ended_at !== null && !isTerminal(told.status)) {
      const stray = unconfirmedCallFrom(account, id, known.row, known.number)
      yield* FiberMap.run(strays, id, endStray(stray, close), { onlyIfMissing: true })
    }
  })

  /**
   * Runs `take` for the account that the path names. If the report could not be stored, it fails with `NotKept`, and
   * the carrier sends it again.
   */
  const answer = <A>(
    text: string,
    take: (account: AccountSlug) => Effect.Effect<A, unknown>,
  ): Effect.Effect<A, SignatureWrong | NotKept> => {
    const account = Option.getOrNull(decodeSlug(text))
    if (account === null) return Effect.fail(new SignatureWrong())
    return take(account).pipe(
      Effect.catchDefect((defect) => Effect.fail(defect)),
      Effect.catch(refuse),
    )
  }

  return { answer, keep, verify }
})

const unconfirmedCallFrom = (
  account: AccountSlug,
  id: CallId,
  call: CallRow,
  number: PhoneNumbers.PhoneNumberRow,
): UnconfirmedCall => ({
  account,
  call_id: id,
  carrier: number.carrier,
  carrier_config: number.carrier_config,
  to: call.to_number ?? "",
  from: call.from_number ?? number.number,
  max_call_seconds: longestCallSeconds,
  started_at: call.started_at,
})

const refuse = (cause: unknown): Effect.Effect<never, SignatureWrong | NotKept> => {
  if (cause instanceof SignatureWrong) return Effect.fail(cause)
  if (cause instanceof AccountNotFound) return Effect.fail(new SignatureWrong())
  const kept = Effect.logWarning("storing a carrier report failed", cause)
  return Effect.andThen(kept, Effect.fail(new NotKept()))
}
