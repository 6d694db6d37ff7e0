import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/**
 * Declares a test whose telephones talk in real time, without repeating what is lost. It is tried up to three times,
 * since a machine that is busy with other tests loses words, as a bad connection does. Each try has its own time-out of
 * `seconds`: if vitest timed a try out, the tries after it would fail too.
 */
export const itInRealTime = <E>(name: string, seconds: number, body: Effect.Effect<void, E, Scope.Scope>) =>
  it.live(name, () => Effect.timeout(body, `${seconds} seconds`), { timeout: (seconds + 60) * 1_000, retry: 2 })
