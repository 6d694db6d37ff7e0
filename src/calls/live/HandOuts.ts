/**
 * Divides the calls of a dial pass among the processes (decision 0064). This process intends all of the calls. In the
 * same transaction it offers some of them to other processes, and it conducts the rest. An offer that is refused, or
 * not answered in time, is taken back and divided again.
 */
import { Clock, Context, Effect, Exit, Layer, Option, Queue, Schedule, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Capacity from "../../cluster/Capacity.ts"
import { Cluster } from "../../cluster/Cluster.ts"
import { Node } from "../../cluster/Node.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { Notices } from "../../tenancy/Notices.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as CallMetrics from "../ledger/CallMetrics.ts"
import type { IntendedCall } from "../ledger/Intent.ts"
import * as OfferRows from "../ledger/OfferRows.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"
import * as OfferNotices from "./OfferNotices.ts"
import { OutboundCalls } from "./OutboundCalls.ts"
import { PeerLoads } from "./PeerLoads.ts"

/** How often the open offers are checked, and their notices repeated in case one was lost. */
const checkEvery = "250 millis"
const checkLimit = "5 seconds"
const checkAgainAfter = "1 second"
const accountsAtOnce = 4
/** How long an offer waits for its answer. Its slot is taken meanwhile, and no phone rings. */
const patienceSeconds = 2
/** A change of the load by this fraction of `PARLEY_CALLS_PER_PROCESS` is advertised before the next heartbeat. */
const notable = 1 / 20
const advertiseEvery = "200 millis"
/** How often the log says that every process is full, in milliseconds. */
const logFullEveryMs = 60_000

export class HandOuts extends Context.Service<
  HandOuts,
  {
    /**
     * Divides these calls among this process and others, which conduct them after the commit. Runs in the transaction
     * that intends them.
     */
    readonly handOut: (
      calls: ReadonlyArray<IntendedCall>,
    ) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient | CurrentTenant>
    /** Logs, at most once a minute, that campaigns wait because every process is full. */
    readonly reportFull: Effect.Effect<void>
    /** The number of calls that this process has offered and whose answer it does not know yet. */
    readonly open: () => number
  }
>()("calls/live/HandOuts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const loads = yield* PeerLoads
      const { conduct } = yield* OutboundCalls
      const node = yield* Node
      const { check, refusals, watch } = yield* makeFollow
      let loggedFullAt = Number.NEGATIVE_INFINITY

      const handOut = Effect.fnUntraced(function* (calls: ReadonlyArray<IntendedCall>, confirmed_at?: number) {
        const sql = yield* SqlClient.SqlClient
        const tenant = yield* CurrentTenant
        const { others, own } = loads.divide(calls.length)
        if (others.size > 0) {
          let at = own
          const offers = [...others].flatMap(([to, count]) =>
            calls.slice(at, (at += count)).map(({ id }) => ({ call_id: id, to })),
          )
          yield* OfferRows.add(node.id, offers)
          yield* sql.afterCommit(watch(tenant, others))
        }
        if (own > 0) yield* sql.afterCommit(conduct(tenant, calls.slice(0, own), confirmed_at))
      })

      yield* check(handOut).pipe(Effect.forkScoped)
      yield* noteAnswers(refusals).pipe(Effect.forkScoped)
      yield* advertise.pipe(Effect.forkScoped)

      return {
        handOut,
        open: () => loads.offers.total,
        reportFull: Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (now - loggedFullAt < logFullEveryMs) return Effect.void
          loggedFullAt = now
          return Effect.logWarning(
            "every process is full (PARLEY_CALLS_PER_PROCESS): campaigns wait until calls have ended",
          )
        }),
      }
    }),
  )
}

type Divide = (
  calls: ReadonlyArray<IntendedCall>,
  asked: number,
) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient | CurrentTenant>

interface Offering {
  readonly tenant: AccountEntry
  /** How many times this process has offered calls of the account: tells whether it offered more during a check. */
  readonly times: number
}

/** Follows the accounts in which this process has open offers. */
const makeFollow = Effect.gen(function* () {
  const cluster = yield* Cluster
  const inAccount = yield* InAccount
  const loads = yield* PeerLoads
  const node = yield* Node
  const notices = yield* Notices
  /** Accounts with open offers. */
  const offering = new Map<string, Offering>()
  const begun = yield* Queue.sliding<void>(1)
  const refusals = yield* Queue.sliding<void>(1)

  const tell = (account: string, offers: ReadonlyMap<string, number>) =>
    Effect.forEach(
      offers,
      ([to, calls]) => notices.tell(OfferNotices.textOf({ _tag: "Offered", account, to, calls })),
      { discard: true },
    )

  /** Takes calls back and divides them again. Returns how many. */
  const takeBack = Effect.fn("HandOuts.takeBack")(function* (peers: ReadonlyArray<string>, divide: Divide) {
    const asked = yield* Clock.currentTimeMillis
    const back = yield* OfferRows.takeBack(node.id, peers, patienceSeconds)
    if (back.length === 0) return 0
    for (const { to } of back) if (to !== null) loads.passOver(to)
    const ids = back.map(({ id }) => id)
    yield* divide(yield* OfferRows.findIntended(node.id, ids), asked)
    return back.length
  }, transaction)

  /**
   * Takes back the offers that were refused or not answered in time, and repeats the notices of those that are open.
   */
  const checkOne = Effect.fn("HandOuts.checkOne")(function* ({ tenant, times }: Offering, divide: Divide) {
    const { slug } = tenant.account
    const peers = cluster.peers().map(({ id }) => id)
    const takenBack = yield* takeBack(peers, divide)
    yield* CallMetrics.countOffers("taken_back", takenBack)
    const open = new Map((yield* OfferRows.count(node.id)).map(({ calls, to }) => [to, calls]))
    loads.offers.set(slug, open)
    if (open.size === 0 && offering.get(slug)?.times === times) offering.delete(slug)
    // Offers that were refused since are taken back at the next check.
    open.delete("")
    yield* tell(slug, open)
  })

  /** Checks the accounts with open offers again and again. Waits while there are none. */
  const check = Effect.fnUntraced(function* (divide: Divide) {
    while (true) {
      if (offering.size === 0) yield* Queue.take(begun)
      yield* Effect.timeoutOption(Queue.take(refusals), checkEvery)
      const checkAndTell = (one: Offering) =>
        runCheck(inAccount(one.tenant)(Effect.orDie(checkOne(one, divide))), one.tenant)
      const deleted = yield* Effect.filter([...offering.values()], checkAndTell, { concurrency: accountsAtOnce })
      for (const { tenant } of deleted) {
        offering.delete(tenant.account.slug)
        loads.offers.set(tenant.account.slug, new Map())
      }
    }
  })

  /** Tells the other processes of new offers, and begins to check the account. */
  const watch = (tenant: AccountEntry, offers: ReadonlyMap<string, number>) =>
    Effect.suspend(() => {
      const { slug } = tenant.account
      loads.offers.add(slug, offers)
      offering.set(slug, { tenant, times: (offering.get(slug)?.times ?? 0) + 1 })
      Queue.offerUnsafe(begun, undefined)
      return tell(slug, offers)
    })

  return { check, refusals, watch }
})

/** Runs the check of an account's open offers. Returns whether the account was deleted, and its offers with it. */
const runCheck = Effect.fnUntraced(
  function* (check: Effect.Effect<void>, { account: { slug } }: AccountEntry) {
    const checked = yield* Effect.exit(Effect.timeout(check, checkLimit))
    if (Exit.isSuccess(checked)) return false
    const directory = yield* AccountDirectory
    const isDeleted = Option.isNone(yield* directory.findServed(slug))
    if (!isDeleted) yield* Effect.logWarning("checking offered calls failed; retrying", checked.cause)
    yield* Effect.sleep(checkAgainAfter)
    return isDeleted
  },
  (checking, _, { account }) => Effect.annotateLogs(checking, { account: account.slug }),
)

/** Receives the answers to this process's offers, and signals refusals. */
const noteAnswers = Effect.fnUntraced(function* (refusals: Queue.Queue<void>) {
  const loads = yield* PeerLoads
  const node = yield* Node
  const { heard } = yield* Notices
  yield* Stream.runForEach(heard, (text) =>
    Effect.sync(() => {
      const notice = OfferNotices.noticeFrom(text)
      if (notice?._tag !== "Answered" || notice.to !== node.id) return
      loads.noteAnswer(notice.account, notice.by, notice.calls)
      if (notice.refused > 0) Queue.offerUnsafe(refusals, undefined)
    }),
  )
})

/** Sends a heartbeat when the load has changed much since the last one, if there are other processes to see it. */
const advertise = Effect.gen(function* () {
  const cluster = yield* Cluster
  const live = yield* LiveCalls
  const node = yield* Node
  const least = Math.max(1, (yield* Capacity.callsMax) * notable)
  yield* node.advertised.pipe(
    Effect.flatMap((advertised) =>
      cluster.peers().length === 0 || Math.abs(live.conducted() - advertised) < least
        ? Effect.void
        : Effect.ignoreCause(node.renew),
    ),
    Effect.repeat(Schedule.spaced(advertiseEvery)),
  )
})
