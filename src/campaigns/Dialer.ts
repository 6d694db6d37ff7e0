/** Dials one running campaign until it ends: turn after turn, woken by freed slots, by due times and by changes. */
import { Cause, Context, Effect, Layer, Option } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { Calls } from "../calls/Calls.ts"
import { Accounts } from "./Accounts.ts"
import { CampaignSignals, type Waiter } from "./CampaignSignals.ts"
import * as DialTransaction from "./DialTransaction.ts"

/** After trouble with the database, and while an account is suspended. */
const patienceMs = 1_000
/** A paused campaign is resumed by news; this only notices that it was ended elsewhere. */
const pausedMs = 60_000

export class Dialer extends Context.Service<
  Dialer,
  {
    /** Returns when the campaign has ended. Calls are not its children: interrupting it hangs up nobody. */
    readonly run: (account: AccountSlug, id: string) => Effect.Effect<void>
  }
>()("campaigns/Dialer") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const signals = yield* CampaignSignals
      const calls = yield* Calls

      const turn = Effect.fnUntraced(function* (account: AccountSlug, id: string) {
        const entry = yield* accounts.find(account)
        if (Option.isNone(entry)) return over
        if (entry.value.account.status !== "active") return patience
        return yield* DialTransaction.take(id).pipe(Effect.provideService(Calls, calls), accounts.within(entry.value))
      })

      /** While nobody's turn comes, it only looks now and then: a turn locks the whole account's budget. */
      const waitFor = Effect.fnUntraced(
        function* (
          waiter: Waiter,
          { milliseconds, quiet }: { readonly milliseconds: number; readonly quiet: boolean },
        ) {
          let seen = { milliseconds, quiet }
          while (!(yield* signals.wait(waiter, seen.milliseconds)) && seen.quiet) {
            const entry = yield* accounts.find(waiter.account)
            if (Option.isNone(entry)) return
            seen = yield* DialTransaction.look(waiter.id).pipe(accounts.within(entry.value))
            if (!seen.quiet) return
          }
        },
        Effect.catchDefect(() => Effect.sleep(patienceMs)),
      )

      const run = Effect.fn("Dialer.run")(function* (account: AccountSlug, id: string) {
        const waiter = yield* Effect.acquireRelease(signals.listen(account, id, "slots"), signals.leave)
        while (true) {
          const next = yield* turn(account, id).pipe(
            // Whatever happened, the rows are the truth: the next turn reads them again.
            Effect.catchCause((cause) =>
              Cause.hasInterrupts(cause)
                ? Effect.interrupt
                : Effect.as(Effect.logError("a dial transaction failed", cause), patience),
            ),
          )
          if (next._tag === "Over") return yield* signals.changed(account, id)
          if (next._tag === "Paused") yield* signals.wait(waiter, pausedMs)
          else yield* waitFor(waiter, next)
        }
      }, Effect.scoped)

      return { run }
    }),
  )
}

const over: DialTransaction.Turn = { _tag: "Over" }
const patience: DialTransaction.Turn = { _tag: "Wait", milliseconds: patienceMs, quiet: false }
