import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/**
 * A test whose telephones talk in real time and are not asked again. It is tried three times: a machine that is busy with
 * other tests loses words, as a bad line does. Each try is given up after `seconds` by itself, since a try that vitest has
 * timed out takes those after it with it.
 */
export const itInRealTime = <E>(name: string, seconds: number, body: Effect.Effect<void, E, Scope.Scope>) =>
  it.live(name, () => Effect.timeout(body, `${seconds} seconds`), { timeout: (seconds + 60) * 1_000, retry: 2 })
