/** Holds the one dialler of each running campaign of each account. The database says which; the fibers only do it. */
import { Context, Effect, FiberMap, Layer } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { Dialer } from "./Dialer.ts"

export class CampaignSupervisor extends Context.Service<
  CampaignSupervisor,
  {
    /** Sees to it that the campaign is dialled; a second time does nothing. */
    readonly run: (account: AccountSlug, id: string) => Effect.Effect<void>
    /** Stops every dialler of this process for good; calls they placed go on. The campaigns stay running. */
    readonly halt: Effect.Effect<void>
  }
>()("campaigns/CampaignSupervisor") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const dialer = yield* Dialer
      const running = yield* FiberMap.make<string, void, never>()
      let halted = false
      const run = (account: AccountSlug, id: string) =>
        dialer
          .run(account, id)
          .pipe(
            Effect.annotateLogs({ account, campaign: id }),
            FiberMap.run(running, `${account}/${id}`, { onlyIfMissing: true }),
            Effect.asVoid,
          )
      return {
        run: (account, id) => Effect.suspend(() => (halted ? Effect.void : run(account, id))),
        halt: Effect.suspend(() => {
          halted = true
          return FiberMap.clear(running)
        }),
      }
    }),
  )
}
