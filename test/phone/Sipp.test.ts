/** Callers by sipp, whose SIP was written by others, at a whole Parley over UDP, TCP and IPv6: each call has to go as written. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { made } from "../support/Fixtures.ts"
import { freePort } from "../support/FreePorts.ts"
import { answeredNumber } from "../support/Ringing.ts"
import { openSipRoom } from "../support/SipRoom.ts"
import { callers, sippCalling, sippFault } from "../support/Sipp.ts"
import { until } from "../support/Until.ts"

const ways = [
  { isTcp: false, address: "127.0.0.1" },
  { isTcp: true, address: "127.0.0.1" },
  { isTcp: false, address: "::1" },
]

describe.skipIf(sippFault !== undefined)("callers by sipp over UDP, TCP and IPv6", () => {
  it.live(
    "hold, change the codec, refresh the session, bring extensions, ask, and give up, and get what they have to get",
    () =>
      Effect.gen(function* () {
        const { parley } = yield* openSipRoom
        const { owner, port: to } = yield* Effect.promise(() => parley())
        const { number } = yield* answeredNumber(owner, { addresses: ["::1"] })
        yield* Effect.sleep("1500 millis")
        const call = Effect.fnUntraced(function* (
          [name, scenario]: readonly [string, ReadonlyArray<string>],
          { address, isTcp }: (typeof ways)[number],
        ) {
          const port = yield* Effect.promise(freePort)
          const { complaint, ended } = yield* Effect.acquireRelease(
            Effect.sync(() => sippCalling(port, 1, scenario, { number: number.number, rate: 1, to, isTcp, address })),
            ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
          )
          assert.isTrue(
            yield* Effect.promise(() => ended),
            `A caller that ${name}, ${isTcp ? "TCP" : "UDP"}, ${address}: ${complaint()}`,
          )
        })
        for (const way of ways) {
          yield* Effect.forEach(Object.entries(callers), (one) => call(one, way), { concurrency: 4 })
        }
        const isOver = async () => made(await owner.get("/api/v1/calls?status=in_progress")).total === 0
        yield* Effect.promise(() => until(isOver))
      }),
    120_000,
  )
})
