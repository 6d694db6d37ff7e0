/**
 * Signals between the parts that act on campaigns: to a dialler about free slots, to watchers about a change, to a
 * supervisor about work. Signals about a changed row reach other processes too. All signals are hints: every waiter
 * also polls.
 */
import { Context, Effect, Layer, Option, Queue, Schema, type Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AccountSlug } from "../../domain/Account.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { Notices } from "../../tenancy/Notices.ts"

export class CampaignSignals extends Context.Service<
  CampaignSignals,
  {
    /**
     * Wakes the account's diallers, because the transaction that holds the budget is about to free slots; they then
     * queue for the budget. `campaigns` are the campaigns of these slots. If this process does not dial all of them, or
     * dials no campaign of the account, the signal also goes to the other processes.
     */
    readonly wake: (account: AccountSlug, campaigns: ReadonlyArray<string>) => Effect.Effect<void>
    /** Signals that the campaign's row has changed: its dialler and watchers, in any process, look again. */
    readonly announceChange: (account: AccountSlug, id: string) => Effect.Effect<void>
    /** Waits for a signal, for at most this many milliseconds. Returns whether a signal came. */
    readonly wait: (waiter: Waiter, milliseconds: number) => Effect.Effect<boolean>
    /** Registers a waiter for the campaign's signals. It has to be released with `leave`. */
    readonly listen: (account: AccountSlug, id: string, hears: Hears) => Effect.Effect<Waiter, never, never>
    readonly leave: (waiter: Waiter) => Effect.Effect<void>
    /**
     * A queue of signals that any campaign of any account has changed, here or in another process. Signals that were
     * not taken yet count as one.
     */
    readonly changes: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
  }
>()("campaigns/CampaignSignals") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const notices = yield* Notices
      const events = yield* EventSignals
      const waiters = new Map<AccountSlug, Set<Waiter>>()
      const looking = new Set<Queue.Queue<void>>()
      const outgoing = yield* Queue.sliding<string>(keptForOthers)

      /** Wakes the concerned waiters of the account. Returns whether there were any. */
      const tell = (account: AccountSlug, concerns: (waiter: Waiter) => boolean): boolean => {
        const concerned = [...(waiters.get(account) ?? [])].filter(concerns)
        for (const { news } of concerned) Queue.offerUnsafe(news, undefined)
        return concerned.length > 0
      }
      const announceHere = (account: AccountSlug, id: string) => {
        tell(account, (waiter) => waiter.id === id)
        for (const queue of looking) Queue.offerUnsafe(queue, undefined)
      }

      yield* Queue.take(outgoing).pipe(Effect.flatMap(notices.tell), Effect.forever, Effect.forkScoped)
      yield* Stream.runForEach(notices.heard, (text) =>
        Effect.sync(() => {
          const [account, id = ""] = text.split("/")
          if (!isSlug(account)) return
          if (id === slots) tell(account, hearsOfSlots)
          else announceHere(account, id)
        }),
      ).pipe(Effect.forkScoped)

      return {
        wake: (account, campaigns) =>
          Effect.sync(() => {
            const hasDialler = tell(account, hearsOfSlots)
            const dialled = [...(waiters.get(account) ?? [])].filter(hearsOfSlots).map(({ id }) => id)
            if (!hasDialler || campaigns.some((id) => !dialled.includes(id)))
              Queue.offerUnsafe(outgoing, `${account}/${slots}`)
          }),
        announceChange: (account, id) =>
          Effect.sync(() => {
            announceHere(account, id)
            Queue.offerUnsafe(outgoing, `${account}/${id}`)
          }).pipe(Effect.andThen(events.written(account))),
        wait: ({ news }, milliseconds) =>
          Effect.map(Effect.timeoutOption(Queue.take(news), Math.max(1, milliseconds)), Option.isSome),
        listen: Effect.fnUntraced(function* (account, id, hears) {
          const waiter: Waiter = { account, id, hears, news: yield* Queue.sliding<void>(1) }
          const others = waiters.get(account) ?? new Set()
          waiters.set(account, others.add(waiter))
          return waiter
        }),
        leave: (waiter) =>
          Effect.sync(() => {
            const others = waiters.get(waiter.account)
            others?.delete(waiter)
            if (others?.size === 0) waiters.delete(waiter.account)
          }),
        changes: Effect.acquireRelease(
          Effect.tap(Queue.sliding<void>(1), (queue) => Effect.sync(() => looking.add(queue))),
          (queue) => Effect.sync(() => looking.delete(queue)),
        ),
      }
    }),
  )
}

/** Signals a change of the campaign when the transaction of this fiber has committed. */
export const announceAfterCommit = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const { account } = yield* CurrentTenant
  const signals = yield* CampaignSignals
  yield* sql.afterCommit(signals.announceChange(account.slug, id))
})

const isSlug = Schema.is(AccountSlug)

/** Sent in place of a campaign's id: slots of the account are free. */
const slots = "slots"

/** Signals that are not yet sent to other processes; while the database is away, the oldest are lost. */
const keptForOthers = 1_000

/**
 * The signals that a waiter gets. Diallers also hear of free slots; watchers do not, because every call would wake
 * them.
 */
type Hears = "slots" | "changes"

const hearsOfSlots = ({ hears }: Waiter): boolean => hears === "slots"

/** A registration for signals. Its queue holds one: a signal that was not taken yet is not repeated. */
export interface Waiter {
  readonly account: AccountSlug
  readonly id: string
  readonly hears: Hears
  readonly news: Queue.Queue<void>
}
