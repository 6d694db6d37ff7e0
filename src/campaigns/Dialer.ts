/**
 * Sees to one campaign that was placed with this process: starts it when it is a draft whose turn has come, and dials
 * it, turn after turn, woken by freed slots, by due times and by changes, for as long as it runs and is this process's.
 */
import { Cause, Context, Effect, Layer, Option } from "effect"
import { Calls } from "../calls/Calls.ts"
import { Placement } from "../cluster/Placement.ts"
import type { AccountSlug } from "../domain/Account.ts"
import { Accounts } from "./Accounts.ts"
import { CampaignSignals, type Waiter } from "./CampaignSignals.ts"
import * as DialTransaction from "./DialTransaction.ts"
import { open, type Opening } from "./Opening.ts"

/** After trouble with the database, while an account is suspended, and in line for the budget. */
const patienceMs = 1_000
/** A turn that hangs is given up: a connection that fell silent says nothing of it. */
const turnLimit = "30 seconds"

export class Dialer extends Context.Service<
  Dialer,
  {
    /** Returns when there is nothing more to do here. Calls are not its children: interrupting it hangs up nobody. */
    readonly run: (account: AccountSlug, id: string) => Effect.Effect<void>
  }
>()("campaigns/Dialer") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const signals = yield* CampaignSignals
      const calls = yield* Calls
      const placement = yield* Placement

      /** Without an epoch it has yet to be opened; a campaign that is not running any more is opened anew. */
      const turn = Effect.fnUntraced(function* (account: AccountSlug, id: string, epoch: number | undefined) {
        const entry = yield* accounts.find(account)
        if (Option.isNone(entry)) return nothing
        if (entry.value.account.status !== "active") return patience
        const next = Effect.gen(function* () {
          if (epoch !== undefined) return yield* DialTransaction.take(id, epoch)
          const opened = yield* open(id)
          // Slots that its former process took along, as far as that one is known to be gone.
          if (opened._tag === "Dial") yield* calls.recover
          return opened
        })
        return yield* next.pipe(
          Effect.provideService(Calls, calls),
          Effect.provideService(Placement, placement),
          Effect.provideService(CampaignSignals, signals),
          accounts.within(entry.value),
          Effect.timeout(turnLimit),
        )
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
            seen = yield* DialTransaction.look(waiter.id).pipe(accounts.within(entry.value), Effect.timeout(turnLimit))
            if (!seen.quiet) return
          }
        },
        Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.sleep(patienceMs))),
      )

      const run = Effect.fn("Dialer.run")(function* (account: AccountSlug, id: string) {
        const waiter = yield* Effect.acquireRelease(signals.listen(account, id, "slots"), signals.leave)
        let epoch: number | undefined
        while (true) {
          const next = yield* turn(account, id, epoch).pipe(
            // Whatever happened, the rows are the truth: the next turn reads them again.
            Effect.catchCause((cause) =>
              Cause.hasInterrupts(cause)
                ? Effect.interrupt
                : Effect.as(Effect.logError("dial transaction failed", cause), patience),
            ),
          )
          if (next._tag === "Nothing" || next._tag === "Lost") return
          if (next._tag === "Dial") epoch = next.epoch
          else if (next._tag === "InLine") yield* signals.wait(waiter, patienceMs)
          else if (next._tag === "Wait") yield* waitFor(waiter, next)
          else {
            epoch = undefined
            if (next._tag === "Over") yield* signals.announceChange(account, id)
          }
        }
      }, Effect.scoped)

      return { run }
    }),
  )
}

const nothing: Opening = { _tag: "Nothing" }
const patience: DialTransaction.AfterPass = { _tag: "Wait", milliseconds: patienceMs, quiet: false }
