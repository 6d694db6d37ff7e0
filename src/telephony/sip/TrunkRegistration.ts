/** Registers a number at its trunk's server, one try a call, and describes the result in words. */
import { Clock, Effect } from "effect"
import type { Registered } from "../../domain/Registered.ts"
import type { SipTrunk } from "../../domain/SipConfig.ts"
import type { Result } from "./ClientTransaction.ts"
import type { UserAgent } from "./Sip.ts"

/** Seconds. A registration is renewed this long before it ends, or at half its time if that is later. */
const renewsBefore = 60
/** The shortest time between two registrations, whatever lifetime the server grants. */
const shortest = 10
/** The pause in seconds after a failed try. It grows, because a server may lock out a number that tries too often. */
const firstPause = 5
const longestPause = 300
const endsWithin = "2 seconds"

export interface Attempt {
  readonly registered: Registered
  /** Seconds until the registration must be renewed; null if it failed. */
  readonly seconds: number | null
}

export interface TrunkRegistration {
  readonly register: Effect.Effect<Attempt>
  /** Unregisters the number, so that the server does not call a process that has stopped. Takes at most two seconds. */
  readonly unregister: Effect.Effect<void>
}

export const failed = (detail: string): Attempt => ({ registered: { until: null, detail }, seconds: null })

/** Seconds until the next try, after this many failures in a row. */
export const pauseAfter = (failures: number): number => Math.min(longestPause, firstPause * 2 ** (failures - 1))

/** Describes a failed registration. */
const sayRefusal = (result: Result): string => {
  if (result === "timeout") return "The server did not answer the registration. Check server, port and transport."
  if (result === "unreachable") return "The registration failed: nothing listens at the server and port."
  const said = `${result.status} ${result.reason}`.trim().slice(0, 100)
  return [401, 403, 407].includes(result.status)
    ? `The server refuses the registration (${said}). Check username and password.`
    : `The server refuses the registration (${said}).`
}

export const make = (agent: UserAgent, number: string, trunk: SipTrunk): TrunkRegistration => {
  const registration = agent.registration(number, trunk)
  let isTaken = false
  const register = Effect.gen(function* () {
    const hops = yield* Effect.result(agent.find(trunk))
    if (hops._tag === "Failure") return failed(hops.failure.why)
    agent.know(trunk.addresses)
    isTaken = true
    const result = yield* agent.register(registration, hops.success[0], false)
    if (typeof result === "string" || result.status >= 300) return failed(sayRefusal(result))
    const granted = registration.secondsOf(result)
    const until = new Date((yield* Clock.currentTimeMillis) + granted * 1_000).toISOString()
    return {
      registered: { until, detail: `The number is registered until ${until}.` },
      seconds: Math.max(shortest, granted / 2, granted - renewsBefore),
    } satisfies Attempt
  })
  const unregister = agent.find(trunk).pipe(
    Effect.flatMap(([hop]) => agent.register(registration, hop, true)),
    Effect.interruptible,
    Effect.timeoutOption(endsWithin),
    Effect.ignore,
  )
  return { register, unregister: Effect.suspend(() => (isTaken ? unregister : Effect.void)) }
}
