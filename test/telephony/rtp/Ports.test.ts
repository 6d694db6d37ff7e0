import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Scope } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { MediaSettings } from "../../../src/telephony/rtp/MediaSettings.ts"
import { Ports } from "../../../src/telephony/rtp/Ports.ts"
import { freePorts } from "../../support/FreePorts.ts"
import { loopback } from "../../support/RtpPeer.ts"

const withEnv = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
const portsIn = (first: number, last: number) =>
  Ports.layer.pipe(
    Layer.provide(MediaSettings.layer),
    Layer.provide(withEnv({ PARLEY_MEDIA_PORTS: `${first}-${last}` })),
  )

describe("the ports of calls", () => {
  it.live("are an even port and the odd one above it, and are free again when the call's scope closes", () =>
    Effect.gen(function* () {
      const first = yield* Effect.promise(() => freePorts(6))
      const ports = yield* Effect.provide(Ports, portsIn(first + 1, first + 6))
      const call = yield* Scope.make()
      const { port, rtcp, rtp } = yield* Scope.provide(ports.open(loopback), call)
      assert.include([first + 2, first + 4], port)
      assert.deepStrictEqual([rtp.address().port, rtcp.address().port], [port, port + 1])
      yield* ports.open(loopback)
      const refused = yield* Effect.flip(ports.open(loopback))
      assert.strictEqual(
        refused.message,
        `No pair of media ports between ${first + 1} and ${first + 6} is free, so the call cannot carry sound. ` +
          "Widen PARLEY_MEDIA_PORTS, or take fewer calls at a time on this machine.",
      )
      yield* Scope.close(call, Exit.void)
      const again = yield* ports.open(loopback)
      assert.strictEqual(again.port, port)
    }).pipe(Effect.scoped),
  )
  it.live("skip ports that another process has, and use a port that was just freed last", () =>
    Effect.gen(function* () {
      const first = yield* Effect.promise(() => freePorts(8))
      const other = createSocket("udp4").bind({ port: first + 3, address: loopback, exclusive: true })
      yield* Effect.promise(() => once(other, "listening"))
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      const ports = yield* Effect.provide(Ports, portsIn(first, first + 7))
      const taken: Array<number> = []
      for (let call = 0; call < 6; call++)
        taken.push(yield* Effect.scoped(Effect.map(ports.open(loopback), ({ port }) => port)))
      assert.deepStrictEqual(new Set(taken.slice(0, 3)), new Set([first, first + 4, first + 6]))
      assert.deepStrictEqual(taken.slice(3), taken.slice(0, 3))
    }).pipe(Effect.scoped),
  )
})

describe("the settings of sound", () => {
  const read = (env: Record<string, string>) =>
    MediaSettings.pipe(Effect.provide(MediaSettings.layer), Effect.provide(withEnv(env)))
  it.effect("are any address of this machine and 5,000 pairs, unless others are given", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({}), { hosts: [], ports: { first: 20_000, last: 29_999 } })
      const env = { PARLEY_MEDIA_HOST: "203.0.113.5", PARLEY_MEDIA_PORTS: "40000-40099" }
      assert.deepStrictEqual(yield* read(env), { hosts: ["203.0.113.5"], ports: { first: 40_000, last: 40_099 } })
    }),
  )
  it.effect("are refused with a sentence that says what to write", () =>
    Effect.gen(function* () {
      for (const range of ["20000", "20000-", "500-600", "20001-20002", "30000-20000", "60000-70000", "a-b"]) {
        const refused = yield* Effect.flip(read({ PARLEY_MEDIA_PORTS: range }))
        assert.include(refused.message, `PARLEY_MEDIA_PORTS is "${range}". Write a range between 1024 and 65535`)
      }
      const refused = yield* Effect.flip(read({ PARLEY_MEDIA_HOST: "media.example.com" }))
      assert.include(refused.message, "Write the IP address")
    }),
  )
})
