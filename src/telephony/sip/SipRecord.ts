/** Stores the states of this process's SIP calls, so that each call has a final report and another process can end it. */
import { Deferred, Effect, Schedule, type Scope } from "effect"
import type { CallId } from "../../domain/Call.ts"
import type { CarrierReport } from "../../domain/CarrierReport.ts"
import { outcomeOfSip } from "../../domain/SipOutcome.ts"
import type { News } from "../CarrierCalls.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import type { DialRequest } from "../Telephony.ts"
import type { Dialog } from "./Dialog.ts"
import type { Invitation } from "./Invitation.ts"
import type { Declined, Placed } from "./Sip.ts"
import * as SipReports from "./SipReports.ts"

/** Retries while the account's database is unreachable. */
const keptTrying = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))

export const outcomeIn = ({ cause, status }: Declined) => outcomeOfSip(status, cause)

/** Waits for the final report of a call that we placed. */
export const finalReportOf = ({ settled }: Placed): Effect.Effect<CarrierReport> =>
  Effect.match(Deferred.await(settled), {
    onFailure: (declined) => SipReports.refused(outcomeIn(declined)),
    onSuccess: () => SipReports.completed,
  })

type Recorded = Pick<DialRequest, "account" | "call_id">

/** PostgreSQL's text has no null character. A quoted name in a header may have one (RFC 4475 §3.1.1.2). */
const withoutNull = (text: string): string => text.replaceAll("\0", " ")

const storable = (dialog: Dialog) => {
  const { call_id, local, remote, remote_tag, routes, target } = dialog
  return {
    ...dialog,
    call_id: withoutNull(call_id),
    remote_tag: withoutNull(remote_tag),
    local: withoutNull(local),
    remote: withoutNull(remote),
    target: withoutNull(target),
    routes: routes.map(withoutNull),
  }
}

/** `process` is the scope in which states are stored, because a call's own scope may close first. */
export const make = (feeds: CarrierFeeds["Service"], process: Scope.Scope) => {
  /** The calls that are not over. Each is done when its final report is stored. */
  const own = new Map<CallId, Deferred.Deferred<void>>()

  const tell = ({ account, call_id }: Recorded, news: () => News) =>
    Effect.suspend(() => feeds.tell(account, call_id, news())).pipe(
      Effect.retry(keptTrying),
      Effect.catch((cause) => Effect.logWarning("storing the state of a SIP call failed", cause)),
      Effect.asVoid,
    )

  /** Stores a report. `sid` is the Call-ID. If `call` is given, its dialog at the time of writing is stored too. */
  const keep = (request: Recorded, sid: string, report: CarrierReport, call?: { readonly dialog: Dialog }) =>
    tell(request, () => ({ sid, report, ...(call === undefined ? {} : { dialog: storable(call.dialog) }) }))

  /** Returns a function that stores an INVITE which the trunk has received, so that another process can cancel it. */
  const invitationKeeper = (request: Recorded) =>
    Effect.map(Effect.context<never>(), (context) => (invitation: Invitation) => {
      const kept = tell(request, () => ({ sid: invitation.call_id, report: SipReports.placed, invitation }))
      Effect.runForkWith(context)(Effect.forkIn(kept, process))
    })

  /** Stores the final report when the trunk has nothing left of the call, which may be after its scope has closed. */
  const conclude = Effect.fnUntraced(function* (
    request: Recorded,
    sid: string,
    over: Deferred.Deferred<void>,
    final: Effect.Effect<CarrierReport>,
  ) {
    const stored = yield* Deferred.make<void>()
    own.set(request.call_id, stored)
    yield* Deferred.await(over).pipe(
      Effect.andThen(final),
      Effect.flatMap((last) => keep(request, sid, last)),
      Effect.ensuring(
        Effect.sync(() => {
          own.delete(request.call_id)
          Deferred.doneUnsafe(stored, Effect.void)
        }),
      ),
      Effect.forkIn(process),
    )
  })

  return { own, keep, invitationKeeper, conclude }
}
