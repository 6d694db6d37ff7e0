/**
 * Accepts calls that other processes offer to this one, as many as it can carry, and refuses the others. A call belongs
 * to this process from the commit of its acceptance on.
 */
import { Clock, Effect, FiberSet, Layer, Option, Semaphore, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Node } from "../../cluster/Node.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { Notices } from "../../tenancy/Notices.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as CallMetrics from "../ledger/CallMetrics.ts"
import * as OfferRows from "../ledger/OfferRows.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"
import * as OfferNotices from "./OfferNotices.ts"
import { OutboundCalls } from "./OutboundCalls.ts"
import * as Ownership from "./Ownership.ts"
import { PeerLoads } from "./PeerLoads.ts"

/** The time limit of one acceptance. The process that offers does not wait for much longer. */
const acceptLimit = "2 seconds"
/** Accounts whose offers are answered at the same time. Each opens a database. */
const accountsAtOnce = 4

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    const node = yield* Node
    const { heard } = yield* Notices
    const answer = yield* makeAnswer
    const start = yield* FiberSet.makeRuntime<never>()
    const withPlace = Semaphore.makeUnsafe(accountsAtOnce).withPermits(1)
    /**
     * The number of offers to this process that were announced and not answered, by account. Each account in this map has
     * a fiber that answers its offers; while the fiber works on the last announcement, the number is 0.
     */
    const waiting = new Map<string, number>()

    /** Answers the offers of an account until no more are announced. */
    const answerAll = Effect.fnUntraced(function* (slug: string) {
      for (let most = take(slug); most !== undefined; most = take(slug)) {
        const entry = yield* directory.findServed(slug)
        if (Option.isNone(entry)) continue
        yield* answer(entry.value, most).pipe(
          Effect.timeout(acceptLimit),
          Effect.catchCause((cause) => Effect.logWarning("accepting calls of another process failed", cause)),
        )
      }
    })
    /** Takes the number that was announced last. If nothing was announced since the previous take, removes the account. */
    const take = (slug: string): number | undefined => {
      const most = waiting.get(slug)
      if (most === undefined || most === 0) {
        waiting.delete(slug)
        return undefined
      }
      waiting.set(slug, 0)
      return most
    }

    yield* Stream.runForEach(heard, (text) =>
      Effect.sync(() => {
        const notice = OfferNotices.noticeFrom(text)
        if (notice?._tag !== "Offered" || notice.to !== node.id) return
        const { account, calls } = notice
        const before = waiting.get(account)
        waiting.set(account, Math.max(before ?? 0, calls))
        if (before === undefined) start(withPlace(Effect.annotateLogs(answerAll(account), { account })))
      }),
    ).pipe(Effect.forkScoped)
  }),
)

/** Returns the function that answers the offers of an account, of which it accepts at most `most`. */
const makeAnswer = Effect.gen(function* () {
  const inAccount = yield* InAccount
  const live = yield* LiveCalls
  const loads = yield* PeerLoads
  const node = yield* Node
  const notices = yield* Notices
  const { conduct } = yield* OutboundCalls

  /**
   * Takes over as many calls as there are places, and conducts them after the commit. Refuses the rest if this process
   * is full or accepts none (`isOpen`).
   */
  const decide = Effect.fn("OfferIntake.decide")(function* (tenant: AccountEntry, places: number, isOpen: boolean) {
    const sql = yield* SqlClient.SqlClient
    const asked = yield* Clock.currentTimeMillis
    // Notes the account before a row of it names this process.
    const id = yield* node.enter
    const offers = yield* OfferRows.accept(id, places)
    const taken = yield* Ownership.takeOver(id, offers)
    const calls = yield* OfferRows.findIntended(id, [...taken])
    if (calls.length > 0) yield* sql.afterCommit(conduct(tenant, calls, asked))
    const refused = loads.room() === 0 || !isOpen ? yield* OfferRows.refuse(id) : []
    return { accepted: calls.length, refused, from: new Set([...offers.map(({ node_id }) => node_id), ...refused]) }
  }, transaction)

  return Effect.fnUntraced(function* (tenant: AccountEntry, most: number) {
    const isOpen = (yield* node.isDialling) && tenant.account.status === "active"
    const places = isOpen ? loads.reserve(most) : 0
    const { accepted, from, refused } = yield* inAccount(tenant)(decide(tenant, places, isOpen)).pipe(
      Effect.ensuring(Effect.sync(() => loads.release(places))),
    )
    yield* CallMetrics.countOffers("accepted", accepted)
    yield* CallMetrics.countOffers("refused", refused.length)
    const { slug: account } = tenant.account
    for (const to of from) {
      const count = refused.filter((of) => of === to).length
      const news = { account, to, by: node.id, calls: live.conducted(), refused: count }
      yield* notices.tell(OfferNotices.textOf({ _tag: "Answered", ...news }))
    }
  })
})
