/** The sockets of SIP, whatever happens to a message that they bring. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { openRaw } from "../../support/SipAgents.ts"
import { optionsFrom } from "../../support/SipPeer.ts"
import * as Wire from "../../../src/telephony/sip/Wire.ts"

describe("the wire of SIP", () => {
  it.live("delivers the next message after one whose handling failed", () =>
    Effect.gen(function* () {
      const received = yield* Queue.unbounded<number>()
      let count = 0
      const wire = yield* Wire.open({
        bind: ["127.0.0.1", "::1"],
        port: 0,
        tls: null,
        knows: () => true,
        receive: () => {
          if (++count === 1) throw new Error("a bug")
          Queue.offerUnsafe(received, count)
        },
      })
      const far = yield* openRaw
      const port = wire.localPort("udp")
      yield* far.send(optionsFrom(far.localPort(), port, 1), port)
      yield* far.send(optionsFrom(far.localPort(), port, 2), port)
      assert.strictEqual(yield* Queue.take(received), 2)
    }),
  )
})
