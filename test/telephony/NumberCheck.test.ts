/** The check of a number, over HTTP: a client must not have a foreign server flooded with questions. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { made } from "../support/Fixtures.ts"
import { openRaw } from "../support/SipAgents.ts"
import { openSipRoom } from "../support/SipRoom.ts"
import { sipNumber } from "../support/SipTrunk.ts"

it.live(
  "an account can check a silent server at most 30 times a minute, and no request is sent after the check",
  () =>
    Effect.gen(function* () {
      const room = yield* openSipRoom
      const { owner } = yield* Effect.promise(() => room.parley())
      const server = yield* openRaw
      const number = yield* Effect.promise(() => sipNumber(owner, `127.0.0.1:${server.localPort()}`))
      const check = async () => made(await owner.post(`/api/phone-numbers/${number.id}/check`))
      const checks = yield* Effect.promise(() => Promise.all(Array.from({ length: 40 }, check)))
      assert.lengthOf(
        checks.filter(({ detail }) => detail.includes("was not asked")),
        10,
      )
      assert.isTrue(checks.every(({ ok }) => !ok))
      const asked = yield* server.left
      yield* Effect.sleep("9 seconds")
      assert.strictEqual(yield* server.left, asked)
      // At once, and after 0.5, 1.5 and 3.5 seconds.
      assert.isAtMost(asked, 30 * 4)
    }),
  60_000,
)
