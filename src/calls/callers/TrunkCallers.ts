/**
 * Incoming calls over SIP trunks: admits each to the account whose number was called, or refuses it. An account's calls
 * wait for each other, never for another account's.
 */
import { type Cause, Clock, Context, Effect, FiberSet, Layer } from "effect"
import { relist } from "../../catalog/InboundListing.ts"
import * as RateAllowance from "../../domain/RateAllowance.ts"
import { SipCarrier } from "../../telephony/sip/SipCarrier.ts"
import type { TrunkCall } from "../../telephony/sip/TrunkCall.ts"
import { AccountDirectory } from "../../tenancy/AccountDirectory.ts"
import * as FairSemaphore from "../../tenancy/FairSemaphore.ts"
import { type Claim, InboundNumbers } from "../../tenancy/InboundNumbers.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { Reception } from "./Reception.ts"
import * as TrunkClaims from "./TrunkClaims.ts"
import { UndecidedCalls } from "./UndecidedCalls.ts"

/** The most calls that are admitted at once, and the most of one account that wait for a place. */
const admissions = { what: "incoming calls", places: 8, waiting: 50 }
/** For this long after an account was full, its calls are refused without asking its database. */
const fullForMs = 250
/** The most log lines a minute about refused calls of one account for one reason. */
const loggedPerMinute = 6
const mostRemembered = 1_000

export class TrunkCallers extends Context.Service<
  TrunkCallers,
  {
    /** From now on calls are refused with 503, so that trunks try another process. */
    readonly halt: Effect.Effect<void>
  }
>()("calls/callers/TrunkCallers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const carrier = yield* SipCarrier
      const decide = yield* makeDecide
      const run = yield* FiberSet.makeRuntime<never>()
      const undecided = new UndecidedCalls()
      let isHalted = false
      carrier.receive((call) => {
        if (isHalted || !undecided.admit(call.source)) return call.refuse("overloaded")
        run(
          Effect.ensuring(
            decide(call),
            Effect.sync(() => undecided.leave(call.source)),
          ),
        )
      })
      return { halt: Effect.sync(() => void (isHalted = true)) }
    }),
  )
}

/** Logs why calls are refused, at a limited rate. */
const makeWarn = Effect.map(Clock.Clock, (clock) => {
  const logged = RateAllowance.make(loggedPerMinute, mostRemembered)
  const unlessFlood = (key: string, log: Effect.Effect<void>) =>
    Effect.suspend(() => (logged.take(key, clock.currentTimeMillisUnsafe()) > 0 ? Effect.void : log))
  return {
    warn: (account: string, why: string, details: Readonly<Record<string, unknown>> = {}) =>
      unlessFlood(
        `${account} ${why}`,
        Effect.annotateLogs(Effect.logWarning("an incoming call was refused"), { account, why, ...details }),
      ),
    /** Logs a fault of the installation, such as an unreachable database. */
    warnOfFault: (cause: Cause.Cause<unknown>) =>
      unlessFlood("", Effect.logWarning("an incoming call could not be taken", cause)),
  }
})

/** Returns the functions that find a call's account and admit the call to it. */
const makeAdmit = Effect.gen(function* () {
  const directory = yield* InboundNumbers
  const reception = yield* Reception
  const claims = yield* TrunkClaims.make
  const { warn, warnOfFault } = yield* makeWarn
  const admit = Effect.fnUntraced(function* (call: TrunkCall, claim: Claim) {
    const { phone_number_id, slug } = claim
    const isBare = call.called.find(({ number }) => number === claim.number)?.isBare ?? false
    return yield* reception
      .receive({
        phone_number_id,
        isCalled: (row) => claims.isCalled(call, claim, row),
        hasSound: ({ carrier_config }) => call.hasSound(carrier_config),
        from: call.caller(isBare),
        line: ({ account, agent, call_id, confirmOwnership, ringing }, { carrier_config }) => {
          const { language, model, voice } = agent
          return call.answer({
            account: account.account.slug,
            call_id,
            carrier_config,
            language,
            voice,
            model,
            confirmOwnership,
            ringing,
          })
        },
        ended: () => call.refuse("no_agent"),
      })
      .pipe(
        Effect.as("admitted" as const),
        Effect.catchTags({
          NumberHasNoAgent: ({ message }) => Effect.as(warn(slug, message), "no_agent" as const),
          CapReached: ({ message }) => Effect.as(warn(slug, message), "full" as const),
          SoundRefused: ({ message }) => Effect.as(warn(slug, message), "no_sound" as const),
          // The directory disagrees with the account's database, which was restored from a backup: repair the
          // directory.
          NumberGone: () =>
            Effect.orDie(relist()).pipe(
              Effect.provideService(InboundNumbers, directory),
              Effect.as("unknown_number" as const),
            ),
        }),
      )
  })
  return { admit, claimsOn: claims.claimsOn, warn, warnOfFault }
})

/** The accounts that were full within the last `fullForMs`. */
class FullAccounts {
  private readonly fullAt = new Map<string, number>()
  private readonly now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  has(account: string): boolean {
    const at = this.fullAt.get(account)
    // The absolute difference also covers a clock that was set back.
    return at !== undefined && Math.abs(this.now() - at) < fullForMs
  }

  add(account: string): void {
    if (this.fullAt.size >= mostRemembered) this.fullAt.clear()
    this.fullAt.set(account, this.now())
  }
}

/** Returns the function that admits or refuses an incoming call. */
const makeDecide = Effect.gen(function* () {
  const accounts = yield* AccountDirectory
  const clock = yield* Clock.Clock
  const places = yield* FairSemaphore.make(admissions)
  const tenants = yield* TenantDatabases
  const { admit, claimsOn, warn, warnOfFault } = yield* makeAdmit
  const fullAccounts = new FullAccounts(() => clock.currentTimeMillisUnsafe())

  const decision = Effect.fnUntraced(function* (call: TrunkCall) {
    const [claim, other] = yield* claimsOn(call)
    if (claim === undefined) return "unknown_number" as const
    if (other !== undefined && other.account_id !== claim.account_id && other.number === claim.number) {
      const why = "another account listed this number behind the same trunk first"
      yield* warn(other.slug, why, { receives: claim.slug, "pii.number": claim.number })
    }
    if (fullAccounts.has(claim.slug)) return "full" as const
    const entry = yield* accounts.find(claim.slug)
    if (entry.account.status === "suspended") return "suspended" as const
    const decided = yield* tenants.open(entry).pipe(
      Effect.flatMap((tenant) => Effect.provideContext(admit(call, claim), tenant)),
      Effect.scoped,
      places.withPlace(claim.slug),
      Effect.catchTag("ShareFull", ({ message }) => Effect.as(warn(claim.slug, message), "full" as const)),
    )
    if (decided === "full") fullAccounts.add(claim.slug)
    return decided
  })

  return (call: TrunkCall) =>
    decision(call).pipe(
      Effect.catchCause((cause) => Effect.as(warnOfFault(cause), "overloaded" as const)),
      Effect.map((decided) => (decided === "admitted" ? undefined : call.refuse(decided))),
    )
})
