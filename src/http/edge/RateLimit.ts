/** A generous limit on requests, so that one caller cannot take the service from the others: 429 `rate_limited`. */
import { Clock, Config, Context, Effect, Layer, Schema } from "effect"
import { Timestamp } from "../../domain/Timestamp.ts"
import { asProblem } from "./Problem.ts"

/** One caller's requests in the present minute. */
interface Window {
  readonly minute: number
  readonly used: number
}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  used: Schema.Int,
  resets_at: Timestamp,
}) {
  override get message() {
    return `More than ${this.limit} requests in this minute. Wait until ${this.resets_at.toISOString()}.`
  }
}
export const rateLimited = RateLimited.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Too many requests" }),
)

/**
 * Who sends: the credential, and the address, so that a stranger who guesses tokens does not count for their holder. Of
 * a credential as much is kept as tells one from another: an API key's id and checksum, the end of a token's signature.
 */
export const senderOf = (address: string | undefined, credential: string | undefined): string =>
  credential === undefined ? (address ?? "") : `${address ?? ""} ${credential.slice(0, 24)} ${credential.slice(-6)}`

/** Callers remembered at the same time; past that the ones seen first are forgotten, which only ever lets more through. */
const remembered = 20_000

export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Counts the caller's request, or so many in one, and says when it was one too many. */
    readonly count: (caller: string, requests?: number) => Effect.Effect<RateLimited | undefined>
  }
>()("http/RateLimit") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const limit = yield* Config.Int("PARLEY_REQUESTS_PER_MINUTE").pipe(Config.withDefault(60_000))
      const windows = new Map<string, Window>()
      return {
        // A minute is the clock's, so that it costs no queue.
        count: (caller, requests = 1) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const minute = Math.floor(now / 60_000)
            const before = windows.get(caller)
            const used = before?.minute === minute ? before.used + requests : requests
            if (before === undefined && windows.size >= remembered) {
              for (const oldest of windows.keys()) {
                windows.delete(oldest)
                break
              }
            }
            windows.set(caller, { minute, used })
            if (used <= limit) return undefined
            return new RateLimited({ limit, used, resets_at: new Date((minute + 1) * 60_000) })
          }),
      }
    }),
  )
}
