/**
 * Orders a call at a carrier, once. If the reply to the order is lost, it looks the call up and never orders it again.
 */
import { Effect, Option, Result, Schedule } from "effect"
import { type CarrierReport, isTerminal, reportOf } from "../../domain/CarrierReport.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import { type DialRequest, type UnconfirmedCall, Refused } from "../Telephony.ts"
import type * as CallClosing from "./CallClosing.ts"
import type { CallsAtCarrier, FoundCall, OrderingCarrier } from "./CallsAtCarrier.ts"
import type { CarrierFailed } from "./RestClient.ts"

/** Seconds for which a call is looked up after the reply to its order was lost. */
const lostOrderSeconds = 14
/** The most orders for one call. Only 429 leads to another order: the carrier was busy and made no call. */
const ordersAtMost = 4
/**
 * How long the closing of the scope waits for the end of the call. After that, the call's conductor ends it (`close`).
 */
const hangUpLimit = "3 seconds"
/** For writes, while the account's database is away. */
const keptTrying = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))

interface Parts {
  readonly carrier: OrderingCarrier
  readonly feeds: CarrierFeeds["Service"]
  readonly closing: ReturnType<typeof CallClosing.make>
}

export interface Order {
  readonly calls: CallsAtCarrier
  readonly unconfirmed: UnconfirmedCall
  /** Sends the order. Runs again only if the carrier says that it made no call. */
  readonly create: Effect.Effect<FoundCall, CarrierFailed>
}

/** What came of one order: a call; no reply, so there may be a call; or no call, because the carrier was busy. */
type Ordered =
  | { readonly _tag: "Made"; readonly call: FoundCall }
  | { readonly _tag: "Silent" }
  | { readonly _tag: "Busy" }

export const make = ({ carrier, closing, feeds }: Parts) => {
  const keepReport = ({ account, call_id }: DialRequest, sid: string | null, report: CarrierReport) =>
    feeds.tell(account, call_id, { sid, report }).pipe(
      Effect.retry(keptTrying),
      Effect.catch((cause) => Effect.as(Effect.logWarning("storing a carrier's answer failed", cause), null)),
    )

  /** Asks the carrier about a call, and stores what it says. */
  const lookUp = (request: DialRequest, calls: CallsAtCarrier, sid: string): Effect.Effect<void> =>
    calls.find(sid).pipe(
      Effect.flatMap((found) => (found === null ? Effect.void : keepReport(request, sid, found.report))),
      Effect.ignore,
    )

  /**
   * Stores the reply to an order before anything else happens. Fails if the carrier refused: there is no call to look
   * up then.
   */
  const keepAnswer = Effect.fnUntraced(function* (
    request: DialRequest,
    created: Result.Result<FoundCall, CarrierFailed>,
  ): Effect.fn.Return<Ordered, Refused> {
    if (Result.isSuccess(created)) {
      const { success } = created
      yield* keepReport(request, success.sid, success.report)
      return { _tag: "Made", call: success }
    }
    const { failure } = created
    yield* Effect.logWarning("carrier created no known call for an order", failure)
    if (failure._tag === "CarrierSilent" && failure.sent) return { _tag: "Silent" }
    const isNoNumber = failure._tag === "CarrierRefused" && carrier.noSuchNumber.has(failure.code)
    yield* keepReport(request, null, reportOf("failed", { sip_code: isNoNumber ? 404 : null }))
    const outcome = isNoNumber ? "invalid_number" : "carrier_error"
    return yield* Effect.fail(new Refused({ outcome, detail: failure.message }))
  })

  /** Ends a call that may still live, unless another process goes on with it. */
  const hangUp = ({ mayHangUp }: DialRequest, calls: CallsAtCarrier, unconfirmed: UnconfirmedCall) =>
    Effect.flatMap(mayHangUp, (may) => (may ? pressForAWhile(closing.press(calls, unconfirmed)) : Effect.void))

  /** Orders the call and returns it. Closing the scope ends a call that may still live. */
  const place = Effect.fnUntraced(function* (request: DialRequest, { calls, create, unconfirmed }: Order) {
    let mayLive = true
    let orders = 0
    yield* Effect.addFinalizer(() => (mayLive ? hangUp(request, calls, unconfirmed) : Effect.void))
    // Uninterruptible: an interruption between the order and its reply would leave a call with an unknown id.
    const order = Effect.flatMap(Effect.result(create), (created): Effect.Effect<Ordered, Refused> => {
      orders++
      if (isTooMany(created) && orders < ordersAtMost) return Effect.succeed({ _tag: "Busy" })
      return keepAnswer(request, created)
    }).pipe(Effect.withSpan(`${carrier.name}.create`), Effect.uninterruptible)
    const ordered = yield* Effect.andThen(request.confirmForDialling, order).pipe(
      Effect.repeat({ schedule: Schedule.spaced("1 second"), until: ({ _tag }) => _tag !== "Busy" }),
      Effect.tapError(() => Effect.sync(() => void (mayLive = false))),
    )
    if (ordered._tag === "Made") return ordered.call
    const found = yield* findLost(feeds, calls, unconfirmed)
    if (found !== null) return found
    return yield* Effect.fail(new Refused({ outcome: "unknown", detail: "the order's answer was lost" }))
  })

  return { hangUp, keepReport, lookUp, place }
}

/**
 * Finds the call of an order whose reply was lost: by its id at the carrier, if a report has brought it, else in the
 * carrier's list.
 */
const findLost = (feeds: CarrierFeeds["Service"], calls: CallsAtCarrier, unconfirmed: UnconfirmedCall) =>
  Effect.gen(function* () {
    const known = yield* feeds.find(unconfirmed.account, unconfirmed.call_id)
    const sid = known?.sid ?? null
    const found = yield* sid === null ? calls.search(unconfirmed) : calls.find(sid)
    if (found === null) return null
    yield* feeds.tell(unconfirmed.account, unconfirmed.call_id, found)
    return found
  }).pipe(
    Effect.catch((cause) => Effect.as(Effect.logWarning("looking up a lost order failed", cause), null)),
    Effect.repeat({ schedule: Schedule.spaced("1 second"), until: (found) => found !== null }),
    Effect.timeoutOption(`${lostOrderSeconds} seconds`),
    Effect.map(Option.getOrNull),
  )

/** Tries for `hangUpLimit` to end a call at its carrier. After that, the call's conductor ends it (`close`). */
const pressForAWhile = <E>(press: Effect.Effect<CarrierCall | null, E>) =>
  press.pipe(
    Effect.repeat({
      schedule: Schedule.spaced("500 millis"),
      until: (row) => row === null || isTerminal(row.status),
    }),
    Effect.interruptible,
    Effect.timeoutOption(hangUpLimit),
    Effect.ignore,
  )

/** The carrier was busy and made no call, so the order may be sent again. */
const isTooMany = (created: Result.Result<FoundCall, CarrierFailed>) =>
  Result.isFailure(created) && created.failure._tag === "CarrierRefused" && created.failure.status === 429
