/**
 * Streams live calls to observers: the list, and the transcript of one call. A call of this process is read from
 * memory. A call of another process is read from its row, which that process updates.
 */
import { Effect, Option, Schedule, Stream } from "effect"
import type { Call, CallId, CallSummary, TranscriptEntry } from "../../domain/Call.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { type Tenant, TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import * as CallHistory from "../CallHistory.ts"
import { Calls } from "../Calls.ts"

/** How often an observer's stream looks for changes: as fast as people notice them. */
const rowsEvery = "1 second"
const wordsEvery = "200 millis"

/** Opens the account's database for each look, and holds nothing between looks. */
const within =
  (entry: AccountEntry) =>
  <A, E>(look: Effect.Effect<A, E, Tenant>) =>
    Effect.scoped(
      Effect.flatMap(
        TenantDatabases.use((tenants) => tenants.open(entry)),
        (tenant) => Effect.provideContext(look, tenant),
      ),
    )

/** Emits the live calls of the account, or of one campaign, at once and after each change. */
export const inProgress = (
  entry: AccountEntry,
  campaign_id: string | undefined,
): Stream.Stream<ReadonlyArray<CallSummary>, unknown, TenantDatabases> =>
  Stream.fromEffectSchedule(within(entry)(CallHistory.listInProgress(campaign_id)), Schedule.spaced(rowsEvery)).pipe(
    Stream.changesWith((before, now) => stateOf(before) === stateOf(now)),
  )

const stateOf = (calls: ReadonlyArray<CallSummary>): string => calls.map(({ id, status }) => `${id} ${status}`).join()

/** Either an entry of the transcript, after the given number of entries, or finally the end of the call. */
export type Heard =
  | { readonly number: number; readonly entry: TranscriptEntry; readonly ended: null }
  | { readonly number: number; readonly entry: null; readonly ended: CallSummary }

export const transcript = (
  entry: AccountEntry,
  id: CallId,
  after: number,
): Stream.Stream<Heard, unknown, Calls | TenantDatabases> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const calls = yield* Calls
      const row = within(entry)(CallHistory.find(id))
      let told = after

      const news = (said: ReadonlyArray<TranscriptEntry>): ReadonlyArray<Heard> => {
        const entries = said.slice(told).map((entry, at) => ({ number: told + at + 1, entry, ended: null }))
        told += entries.length
        return entries
      }
      const end = ({ transcript, ...call }: Call): ReadonlyArray<Heard> => {
        const entries = news(transcript)
        return call.ended_at === null ? entries : [...entries, { number: told + 1, entry: null, ended: call }]
      }
      const look = Effect.suspend(() => {
        const said = calls.transcript(entry.account.slug, id)
        return said === undefined ? Effect.map(row, end) : Effect.succeed(news(said))
      })
      const isHere = () => calls.transcript(entry.account.slug, id) !== undefined
      const pause = Effect.suspend(() => Effect.sleep(isHere() ? wordsEvery : rowsEvery))
      return Stream.paginate(Effect.void as Effect.Effect<void>, (before) =>
        Effect.map(Effect.andThen(before, look), (heard) => {
          const isOver = heard.some(({ ended }) => ended !== null)
          return [heard, isOver ? Option.none() : Option.some(pause)] as const
        }),
      )
    }),
  )
