/**
 * Limits the previews of an account. Each uses the installation's model key, and none is a call, so the cost caps do
 * not count it.
 */
import { Clock, Config, Context, Effect, Layer, Schema } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import * as RateAllowance from "../domain/RateAllowance.ts"
import { limitFields } from "../domain/Refusals.ts"

/** The maximum number of concurrent previews of one account in this process. A preview takes at most 20 s. */
const atOnce = 8
/** The time after which a client may ask again while all of an account's places are taken. */
const askAgainAfterMs = 1_000
/** The number of accounts whose rate is remembered; each costs two numbers. */
const remembered = 20_000

/** 429: the account previews too often, or too many at the same moment. */
export class PreviewLimited extends Schema.TaggedError<PreviewLimited>()("PreviewLimited", {
  code: Schema.Literal("rate_limited").annotate({ description: "The stable name of the kind of problem." }),
  limited_by: Schema.Literals(["previews_per_minute", "previews_at_once"]).annotate({
    description: "Which limit was reached.",
  }),
  ...limitFields,
}) {
  override get message() {
    return this.limited_by === "previews_per_minute"
      ? `This account may ask for ${this.limit} previews a minute. Try again at ${this.resets_at.toISOString()}.`
      : `${this.used} previews of this account are running, which is the maximum. Try again when one has ended.`
  }
}

export class PreviewLimit extends Context.Service<
  PreviewLimit,
  {
    /** Runs the preview within the account's limits, or refuses it before it begins. */
    readonly within: (
      account: AccountSlug,
    ) => <A, E, R>(preview: Effect.Effect<A, E, R>) => Effect.Effect<A, E | PreviewLimited, R>
  }
>()("rehearsal/PreviewLimit") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const perMinute = yield* Config.schema(
        Schema.Int.check(Schema.isGreaterThan(0)),
        "PARLEY_PREVIEWS_PER_MINUTE",
      ).pipe(Config.withDefault(60))
      const { take } = RateAllowance.make(perMinute, remembered)
      const running = new Map<AccountSlug, number>()

      const begin = (account: AccountSlug, now: number): PreviewLimited | undefined => {
        const used = running.get(account) ?? 0
        const refuse = (limited_by: PreviewLimited["limited_by"], limit: number, used: number, waitMs: number) =>
          new PreviewLimited({ code: "rate_limited", limited_by, limit, used, resets_at: new Date(now + waitMs) })
        if (used >= atOnce) return refuse("previews_at_once", atOnce, used, askAgainAfterMs)
        const wait = take(account, now)
        if (wait > 0) return refuse("previews_per_minute", perMinute, perMinute, wait)
        running.set(account, used + 1)
        return undefined
      }
      const end = (account: AccountSlug) => {
        const left = (running.get(account) ?? 1) - 1
        if (left === 0) running.delete(account)
        else running.set(account, left)
      }
      return {
        within: (account) => (preview) =>
          Effect.acquireUseRelease(
            Effect.flatMap(Clock.currentTimeMillis, (now) => {
              const refusal = begin(account, now)
              return refusal === undefined ? Effect.void : Effect.fail(refusal)
            }),
            () => preview,
            () => Effect.sync(() => end(account)),
          ),
      }
    }),
  )
}
