/** Calls that sipp, an independent implementation of SIP, places to a whole Parley: each side has to count every one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { caller, wide } from "../../support/Callers.ts"
import { freePort } from "../../support/FreePorts.ts"
import { dose } from "../../support/Dose.ts"
import { made } from "../../support/Fixtures.ts"
import { openSipRoom } from "../../support/SipRoom.ts"
import { callsAndHangsUp, sippCalling, sippFault } from "../../support/Sipp.ts"
import { sipNumber } from "../../support/SipTrunk.ts"
import { until } from "../../support/Until.ts"

/** 500 in the full dose. */
const count = dose(20, 500)

describe.skipIf(sippFault !== undefined)("calls from sipp", () => {
  it.live(
    "are all answered, and listed as answered",
    () =>
      Effect.gen(function* () {
        const { parley } = yield* openSipRoom
        const { port, server } = yield* Effect.promise(() => parley())
        const owner = yield* Effect.promise(() => server.ownerOf("rung", wide))
        const number = yield* Effect.promise(async () => {
          const { agent } = await caller(owner)
          const { id, number } = await sipNumber(owner, "127.0.0.1")
          made(await owner.put(`/api/phone-numbers/${id}`, { inbound_agent_id: agent.id }))
          return number
        })
        const own = yield* Effect.promise(freePort)
        const { ended } = yield* Effect.acquireRelease(
          Effect.sync(() => sippCalling(own, count, callsAndHangsUp, { number, rate: 20, to: port })),
          ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
        )
        assert.isTrue(yield* Effect.promise(() => ended), "sipp counts a call that did not go as written")
        const path = "/api/v1/calls?direction=inbound&outcome=answered&status=completed" as const
        yield* Effect.promise(() => until(async () => made(await owner.get(path)).total === count))
        const all = yield* Effect.promise(async () => made(await owner.get("/api/v1/calls")))
        assert.strictEqual(all.total, count)
      }),
    300_000,
  )
})
