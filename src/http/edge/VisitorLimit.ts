/**
 * Limits the sessions and messages of a widget key's visitors. A public key is in a page where everyone can read it,
 * and each message spends the installation's model key.
 */
import { Clock, Config, Context, Effect, Layer, Schema } from "effect"
import * as RateAllowance from "../../domain/RateAllowance.ts"
import { limitFields } from "../../domain/Refusals.ts"
import { networkOf } from "./ClientAddress.ts"
import { asProblem } from "./Problem.ts"

/** Keys, and addresses at a key, that are remembered; each costs two numbers. */
const remembered = 20_000

/** 429: a key's visitors, or those of one address at it, are too many or too fast. */
export class VisitorLimited extends Schema.TaggedError<VisitorLimited>()("VisitorLimited", {
  what: Schema.Literals(["sessions", "messages"]).annotate({ description: "What there were too many of." }),
  limited_by: Schema.Literals(["key", "address"]).annotate({ description: "What the limit belongs to." }),
  ...limitFields,
}) {
  override get message() {
    const which = this.limited_by === "key" ? "The visitors of this widget key" : "Visitors from this address"
    const did = this.what === "sessions" ? "begun" : "sent"
    return `${which} have ${did} ${this.limit} ${this.what} within a minute, which is the limit. Try again at ${this.resets_at.toISOString()}.`
  }
}
export const visitorLimited = VisitorLimited.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Too many visitors" }),
)

const Most = Schema.Int.check(Schema.isGreaterThan(0))

/** Counts one action of a visitor at the key of this id, from this address. */
type Count = (key: string, address: string | undefined) => Effect.Effect<void, VisitorLimited>

export class VisitorLimit extends Context.Service<
  VisitorLimit,
  {
    readonly beginSession: Count
    /**
     * Counted apart from sessions, since a session's token can begin one conversation after another for five minutes.
     */
    readonly beginConversation: Count
    readonly sendMessage: Count
  }
>()("http/VisitorLimit") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sessions = {
        key: yield* Config.schema(Most, "PARLEY_WIDGET_SESSIONS_PER_KEY").pipe(Config.withDefault(300)),
        address: yield* Config.schema(Most, "PARLEY_WIDGET_SESSIONS_PER_ADDRESS").pipe(Config.withDefault(60)),
      }
      const messages = {
        key: yield* Config.schema(Most, "PARLEY_WIDGET_MESSAGES_PER_KEY").pipe(Config.withDefault(1_200)),
        address: yield* Config.schema(Most, "PARLEY_WIDGET_MESSAGES_PER_ADDRESS").pipe(Config.withDefault(120)),
      }

      const makeCount = (what: VisitorLimited["what"], limits: typeof sessions): Count => {
        const ofAddress = RateAllowance.make(limits.address, remembered)
        const ofKey = RateAllowance.make(limits.key, remembered)
        const refuse = (limited_by: VisitorLimited["limited_by"], now: number, wait: number) => {
          const limit = limits[limited_by]
          return Effect.fail(
            new VisitorLimited({ what, limited_by, limit, used: limit, resets_at: new Date(now + wait) }),
          )
        }
        return Effect.fnUntraced(function* (key, address) {
          const now = yield* Clock.currentTimeMillis
          // The address comes first: a request that it refuses takes nothing from the key's other visitors.
          const addressWait = ofAddress.take(`${key} ${networkOf(address)}`, now)
          if (addressWait > 0) return yield* refuse("address", now, addressWait)
          const keyWait = ofKey.take(key, now)
          if (keyWait > 0) return yield* refuse("key", now, keyWait)
        })
      }
      return {
        beginSession: makeCount("sessions", sessions),
        beginConversation: makeCount("sessions", sessions),
        sendMessage: makeCount("messages", messages),
      }
    }),
  )
}
