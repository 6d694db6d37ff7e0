/** Pauses and resumes the recordings of live calls on request, whichever process conducts them. */
import { Context, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import type { Call, CallId } from "../../domain/Call.ts"
import { InvalidState, type NotFound } from "../../domain/Refusals.ts"
import * as RecordingRows from "../../recording/RecordingRows.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as CallHistory from "../CallHistory.ts"
import { InAccount } from "./InAccount.ts"
import type { LiveCall } from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How long a request waits for another process. */
const answerLimit = "5 seconds"
const pollEvery = "100 millis"
/** How often this process looks for requests that other processes received. */
const requestsEvery = "500 millis"

/** Asks the call's process to pause or resume the recording. Returns whether there is a recording. */
const askToPause = (id: CallId, isPaused: boolean) =>
  RecordingRows.askToPause(id, isPaused).pipe(
    Effect.tap((isRecorded) => (isRecorded ? AuditTrail.write() : Effect.void)),
    transaction,
    Effect.orDie,
  )

export class RecordingPauses extends Context.Service<
  RecordingPauses,
  {
    /**
     * Pauses or resumes the recording, and returns the call. Waits at most five seconds for another process;
     * `recording_state` of the call says whether the recording is paused then.
     */
    readonly setPaused: (
      id: string,
      isPaused: boolean,
    ) => Effect.Effect<Call, NotFound | InvalidState, SqlClient.SqlClient>
  }
>()("calls/live/RecordingPauses") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const inAccount = yield* InAccount
      const live = yield* LiveCalls

      const answer = Effect.fnUntraced(function* (calls: ReadonlyArray<LiveCall>) {
        const [first] = calls
        if (first === undefined) return
        const ids = calls.map(({ id }) => id)
        for (const { id, wants_pause } of yield* inAccount(first.tenant)(RecordingRows.findWanted(ids))) {
          const recording = live.all.get(id)?.record?.recording
          if (recording !== null && recording !== undefined) yield* recording.setPaused(wants_pause)
        }
      })
      yield* Effect.suspend(() => {
        const recorded = [...live.all.values()].filter(({ record }) => (record?.recording ?? null) !== null)
        const byAccount = Map.groupBy(recorded, ({ tenant }) => tenant.account.slug)
        return Effect.forEach(byAccount.values(), answer, { concurrency: "unbounded", discard: true })
      }).pipe(
        Effect.catchCause((cause) => Effect.logWarning("reading requests to pause recordings failed", cause)),
        Effect.repeat(Schedule.spaced(requestsEvery)),
        Effect.forkScoped,
      )

      return {
        setPaused: Effect.fn("Calls.setRecordingPaused")(function* (id: string, isPaused: boolean) {
          const call = yield* CallHistory.find(id)
          const refusal = new InvalidState({ state: call.status, detail: "The call is not being recorded." })
          if (call.ended_at !== null) return yield* refusal
          const here = live.all.get(call.id)
          if (here !== undefined) {
            const recording = here.record?.recording ?? null
            if (recording === null) return yield* refusal
            // Before the recording is paused, so that no gap in it is without an entry.
            yield* Effect.orDie(AuditTrail.write())
            yield* recording.setPaused(isPaused)
          } else {
            if (!(yield* askToPause(call.id, isPaused))) return yield* refusal
            yield* RecordingRows.isAnswered(call.id).pipe(
              Effect.repeat({ schedule: Schedule.spaced(pollEvery), until: (is) => is }),
              Effect.timeoutOption(answerLimit),
            )
          }
          return yield* CallHistory.find(id)
        }),
      }
    }),
  )
}
