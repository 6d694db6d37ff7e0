/** Checks whether a trunk answers and accepts the credentials, before the first call. */
import { Effect, Option } from "effect"
import { type SipTrunk, trunkUri } from "../../domain/SipConfig.ts"
import type { Checked } from "../../domain/CarrierCheck.ts"
import type { Result } from "./ClientTransaction.ts"
import type { Hop } from "./Hop.ts"
import type { UserAgent } from "./Sip.ts"
import { writeUri } from "./Uri.ts"

/** A trunk that takes longer to answer is too slow for calls. */
const answersWithin = "5 seconds"

const bad = (detail: string): Checked => ({ ok: false, detail })

const verdictOf = (result: Result, hasCredentials: boolean): Checked => {
  if (result === "timeout") return bad(silent)
  if (result === "unreachable") {
    return bad("Nothing listens at the trunk's server and port over this transport. Check server and transport.")
  }
  const said = `${result.status} ${result.reason}`.trim().slice(0, 100)
  if (result.status === 401 || result.status === 407) {
    return bad(
      hasCredentials
        ? `The trunk refuses the credentials (${said}). Check username and password.`
        : `The trunk asks for credentials (${said}). Enter username and password.`,
    )
  }
  if (result.status === 403) {
    return bad(`The trunk answers, but refuses this server (${said}). Allow its address at the provider.`)
  }
  if (result.status >= 500 && result.status !== 501) return bad(`The trunk answers that it has a fault (${said}).`)
  // Trunks that do not support OPTIONS refuse it with 404, 405, 488 or 501, and still take calls.
  return { ok: true, detail: `The trunk answers (${said}). Only a call shows whether it lets this number dial.` }
}

const silent =
  "The trunk did not answer within 5 s. Check server, port and transport, and that the provider allows this server's address."

/** `number` is the caller's, as in a call. */
export const check = (agent: UserAgent, trunk: SipTrunk, number: string): Effect.Effect<Checked> =>
  Effect.gen(function* () {
    const hops = yield* agent.find(trunk)
    agent.know(trunk.addresses)
    const { credentials, from_domain, host } = trunk
    const from = `<${writeUri(number, from_domain ?? host, null)}>`
    const [first, ...others] = hops
    const ask = (hop: Hop) => agent.ask({ hop, credentials, from, to: trunkUri(trunk) })
    const answered = Effect.flatMap(ask(first), (result) =>
      Effect.reduce(
        others,
        () => result,
        (result: Result, hop) => (result === "unreachable" ? ask(hop) : Effect.succeed(result)),
      ),
    )
    const answer = yield* Effect.timeoutOption(answered, answersWithin)
    return Option.match(answer, {
      onNone: () => bad(silent),
      onSome: (result) => verdictOf(result, credentials !== null),
    })
  }).pipe(Effect.catchTag("ServerUnreachable", ({ why }) => Effect.succeed(bad(why))))
