/** A generous limit on requests, so that one caller cannot take the service from the others: 429 `rate_limited`. */
import { Clock, Config, Context, Effect, Layer, Schema } from "effect"
import { limitFields } from "../../domain/Refusals.ts"
import { networkOf } from "./ClientAddress.ts"
import { asProblem } from "./Problem.ts"

/** One caller's requests in the present minute. */
interface Window {
  readonly minute: number
  readonly used: number
}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...limitFields,
}) {
  override get message() {
    return `More than ${this.limit} requests in this minute. Wait until ${this.resets_at.toISOString()}.`
  }
}
export const rateLimited = RateLimited.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Too many requests" }),
)

/** The carrier and the account to whose path a carrier sends its reports; undefined for other paths. */
export const reportsIn = (path: string): string | undefined => /^\/carriers\/[^/]*\/[^/]*/.exec(path)?.[0]

/** The sender of a request: the value of `Authorization`, and the client's address. */
export interface Sender {
  readonly address: string | undefined
  readonly credential?: string | undefined
  /** For a carrier's report on a call: the carrier and the account, because a carrier has no credential. */
  readonly reports?: string | undefined
}

/** The part of a credential that tells it from others: an API key's id and checksum, the end of a token's signature. */
const traceOf = (credential: string): string => `${credential.slice(0, 24)} ${credential.slice(-6)}`

/** Callers remembered at the same time; beyond that the oldest are forgotten, which only lets more through. */
const remembered = 20_000

const forgetOldest = (map: Map<string, unknown> | Set<string>): void => {
  if (map.size < remembered) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Counts this many requests of the caller. Returns the refusal if the limit is exceeded. */
    readonly count: (sender: Sender, requests?: number) => Effect.Effect<RateLimited | undefined>
    /** Names the sender's window. Senders with the same name share a limit. */
    readonly nameOf: (sender: Sender) => string
    /** Gives a credential that opened an account its own limit, separate from its address's. */
    readonly admit: (credential: string) => void
    /** Does the same for a carrier and account whose report was signed; `reports` is that of the sender. */
    readonly admitReports: (reports: string) => void
  }
>()("http/RateLimit") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const limit = yield* Config.Int("PARLEY_REQUESTS_PER_MINUTE").pipe(Config.withDefault(60_000))
      const windows = new Map<string, Window>()
      const admitted = new Set<string>()
      const reporting = new Set<string>()
      const admitTo = (senders: Set<string>, sender: string) => {
        if (senders.has(sender)) return
        forgetOldest(senders)
        senders.add(sender)
      }

      /**
       * Requests without an admitted credential are counted together by address, whatever their tokens and whatever
       * accounts they report to: otherwise every made-up one would open a new window. An admitted credential is counted
       * by address too, so that another sender that guesses its trace cannot use up its holder's window.
       */
      const nameOf = ({ address, credential, reports }: Sender): string => {
        const network = networkOf(address)
        if (reports !== undefined && reporting.has(reports)) return `${network} ${reports}`
        const trace = credential === undefined ? undefined : traceOf(credential)
        return trace !== undefined && admitted.has(trace) ? `${network} ${trace}` : network
      }

      return {
        nameOf,
        admit: (credential) => admitTo(admitted, traceOf(credential)),
        admitReports: (reports) => admitTo(reporting, reports),
        // Minutes of the clock are counted, not sliding ones, so that no queue is needed.
        count: (sender, requests = 1) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const minute = Math.floor(now / 60_000)
            const caller = nameOf(sender)
            const before = windows.get(caller)
            const used = before?.minute === minute ? before.used + requests : requests
            if (before === undefined) forgetOldest(windows)
            windows.set(caller, { minute, used })
            if (used <= limit) return undefined
            return new RateLimited({ limit, used, resets_at: new Date((minute + 1) * 60_000) })
          }),
      }
    }),
  )
}
