import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromNameServers } from "../../src/outbound/AddressGuard.ts"
import { nameServer } from "../support/NameServer.ts"

const known = { "hook.test": ["93.184.215.14"], "inside.test": ["10.0.0.1"] }

describe("names of an account's URLs", () => {
  it.live("are asked of a name server; one that is silent for one name holds up no other", () =>
    Effect.gen(function* () {
      const place = yield* nameServer(known)
      const resolve = fromNameServers([place])
      const silent = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 8 }), (_, at) => Effect.exit(resolve(`silent${at}.test`)), {
          concurrency: "unbounded",
        }),
        { startImmediately: true },
      )
      assert.deepStrictEqual(yield* resolve("hook.test"), ["93.184.215.14"])
      assert.deepStrictEqual(yield* resolve("inside.test"), ["10.0.0.1"])
      assert.isUndefined(silent.pollUnsafe())
    }),
  )

  it.live("whose name server does not answer are given up after some seconds", () =>
    Effect.gen(function* () {
      const place = yield* nameServer(known)
      const error = yield* Effect.flip(fromNameServers([place])("silent.test"))
      assert.strictEqual(error._tag, "HostUnreachable")
    }),
  )

  it.live("localhost is this machine, whatever a name server says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fromNameServers(["127.0.0.1:9"])("api.localhost"), ["127.0.0.1", "::1"])
    }),
  )
})
