import { it, type Vitest } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/**
 * Declares a test whose telephones talk in real time, without repeating what is lost. It is tried up to three times,
 * since a machine that is busy with other tests loses words, as a bad connection does. Each try has its own time-out of
 * `seconds`: if vitest timed a try out, the tries after it would fail too. `test` is `it.live`, or `it.effect` of a layer.
 */
export const inRealTime =
  <R>(test: Vitest.Test<R | Scope.Scope>) =>
  <E>(name: string, seconds: number, body: Effect.Effect<void, E, R | Scope.Scope>) =>
    test(name, () => Effect.timeout(body, `${seconds} seconds`), { timeout: (seconds + 60) * 1_000, retry: 2 })

export const itInRealTime = inRealTime(it.live)
