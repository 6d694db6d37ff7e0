/** Calls with baresip whose process is killed: another process ends them over each transport. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Transport } from "../../src/telephony/sip/Hop.ts"
import { baresipFault } from "../support/Baresip.ts"
import {
  agentOver,
  callOn,
  dial,
  hasClosed,
  hasEnded,
  numberBehind,
  openBaresipRoom,
  transports,
} from "../support/BaresipRoom.ts"
import { wide } from "../support/Callers.ts"

it.live.skipIf(baresipFault !== undefined)(
  "baresip is hung up by another process when that of its call is killed, whichever side called",
  () =>
    Effect.gen(function* () {
      const room = yield* openBaresipRoom
      const parley = yield* Effect.promise(() => room.parley())
      const other = yield* Effect.promise(() => room.parley())
      const talk = Effect.fnUntraced(function* (transport: Transport) {
        const owner = yield* Effect.promise(() => parley.server.ownerOf(transport, wide))
        const to = `+1415555019${transports.indexOf(transport)}`
        const [calling, called] = [yield* room.phone(transport), yield* room.phone(transport, to)]
        const inbound = yield* Effect.promise(() => numberBehind(owner, calling, agentOver(transport)))
        const outbound = yield* Effect.promise(() => numberBehind(owner, called, agentOver(transport)))
        yield* dial(parley, calling, inbound.number.number)
        yield* Effect.promise(() => outbound.place(to))
        const phones = [calling, called]
        for (const phone of phones) yield* room.hears(phone, `Rosa over ${transport}`)
        return { transport, phones, numbers: [inbound.number, outbound.number] }
      })
      const talks = yield* Effect.forEach(transports, talk, { concurrency: transports.length })
      parley.process.child.kill("SIGKILL")
      for (const { numbers, phones, transport } of talks) {
        for (const phone of phones) yield* hasClosed(phone)
        const owner = yield* Effect.promise(() => other.server.ownerOf(transport))
        for (const number of numbers) {
          const call = yield* callOn(owner, number, hasEnded)
          assert.include(call, { outcome: "answered", end_reason: "interrupted" }, transport)
        }
      }
    }),
  120_000,
)
