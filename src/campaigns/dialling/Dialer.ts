/**
 * Dials one campaign that is placed with this process. Starts it if it is a draft that is due. Then makes one pass
 * after another, woken by freed slots, due times and changes, while the campaign runs and belongs to this process.
 */
import { type Cause, Context, Effect, Layer, Option } from "effect"
import { Calls } from "../../calls/Calls.ts"
import { RulePacks } from "../../catalog/RulePacks.ts"
import { Placement } from "../../cluster/Placement.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import { Accounts } from "../Accounts.ts"
import { markHeld } from "../Campaigns.ts"
import { CampaignSignals, type Waiter } from "./CampaignSignals.ts"
import * as DialMetrics from "./DialMetrics.ts"
import * as DialTransaction from "./DialTransaction.ts"
import { open, type Opening } from "./Opening.ts"
import * as ReceiptSealer from "../receipts/ReceiptSealer.ts"

/**
 * The pause after a failure of the database, while the account is suspended or restored, and while the campaign waits
 * for the budget.
 */
const patienceMs = 1_000
/** A pass that hangs is cancelled: a connection that falls silent reports nothing. */
const passLimit = "30 seconds"
/** How long a decision usually waits for its seal. */
const sealEvery = "10 seconds"
/** The time limit of a seal. It is short, because a drain waits for the last one. */
const sealLimit = "2 seconds"

export class Dialer extends Context.Service<
  Dialer,
  {
    /**
     * Returns when the campaign no longer needs a dialler in this process. Calls are not children of this fiber, so
     * interrupting it hangs up none.
     */
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
      const packs = yield* RulePacks
      const { leave, note } = yield* DialMetrics.follow
      const waitFor = makeWaitFor(accounts, signals, note)

      const pass = Effect.fnUntraced(function* (account: AccountSlug, id: string, epoch: number | undefined) {
        const entry = yield* accounts.find(account)
        if (Option.isNone(entry)) return nothing
        const { status } = entry.value.account
        if (status === "restored") yield* Effect.timeout(accounts.within(entry.value)(markHeld(id)), passLimit)
        if (status !== "active") return patience
        return yield* openOrTake(id, epoch).pipe(
          Effect.provideService(Calls, calls),
          Effect.provideService(Placement, placement),
          Effect.provideService(CampaignSignals, signals),
          Effect.provideService(RulePacks, packs),
          accounts.within(entry.value),
          Effect.timeout(passLimit),
        )
      })

      const run = Effect.fnUntraced(function* (account: AccountSlug, id: string) {
        const seal = makeSeal(accounts, account)
        yield* Effect.addFinalizer(() => seal)
        yield* seal.pipe(Effect.delay(sealEvery), Effect.forever, Effect.forkScoped)
        const waiter = yield* Effect.acquireRelease(signals.listen(account, id, "slots"), signals.leave)
        let epoch: number | undefined
        yield* Effect.acquireRelease(note(id), () => leave(id))
        while (true) {
          const next = yield* pass(account, id, epoch).pipe(
            Effect.tap(() => note(id)),
            Effect.catchCause(passAgain),
          )
          if (next._tag === "Nothing" || next._tag === "Lost") return
          if (next._tag === "Dial") epoch = next.epoch
          else if (next._tag === "InLine") yield* signals.wait(waiter, patienceMs)
          else if (next._tag === "Wait") yield* waitFor(waiter, next)
          else {
            epoch = undefined
            yield* seal
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

/**
 * Waits for the next pass. While no contact is due, it only checks now and then, because a pass locks the whole
 * account's budget.
 */
const makeWaitFor = (
  accounts: Accounts["Service"],
  signals: CampaignSignals["Service"],
  note: (id: string) => Effect.Effect<void>,
) =>
  Effect.fnUntraced(
    function* (waiter: Waiter, { milliseconds, quiet }: { readonly milliseconds: number; readonly quiet: boolean }) {
      let seen = { milliseconds, quiet }
      while (!(yield* signals.wait(waiter, seen.milliseconds)) && seen.quiet) {
        const entry = yield* accounts.find(waiter.account)
        if (Option.isNone(entry)) return
        seen = yield* DialTransaction.checkDue(waiter.id).pipe(accounts.within(entry.value), Effect.timeout(passLimit))
        yield* note(waiter.id)
        if (!seen.quiet) return
      }
    },
    Effect.catchCause(() => Effect.sleep(patienceMs)),
  )

/** Handles a failed pass. After any failure the rows are the truth, and the next pass reads them again. */
const passAgain = (cause: Cause.Cause<unknown>) =>
  DialMetrics.countFailure.pipe(
    Effect.andThen(Effect.logWarning("dial transaction failed", cause)),
    Effect.as(patience),
  )

/**
 * Seals the decisions of the account (decision 0082). If this fails, a later attempt seals them: the next one of a
 * dialler of the account, or the hourly sweep.
 */
const makeSeal = (accounts: Accounts["Service"], account: AccountSlug) =>
  accounts.find(account).pipe(
    Effect.flatMap((entry) =>
      Option.isNone(entry) ? Effect.void : accounts.within(entry.value)(ReceiptSealer.seal()),
    ),
    Effect.timeout(sealLimit),
    Effect.catchCause((cause) => Effect.logWarning("sealing receipts failed", cause)),
  )

/** Without an epoch the campaign has to be opened first. A campaign that is no longer running is opened again. */
const openOrTake = Effect.fnUntraced(function* (id: string, epoch: number | undefined) {
  if (epoch !== undefined) return yield* DialTransaction.runPass(id, epoch)
  const calls = yield* Calls
  const opened = yield* open(id)
  // Frees the slots of its previous process, if that one is known to be dead.
  if (opened._tag === "Dial") yield* calls.recover
  return opened
})
