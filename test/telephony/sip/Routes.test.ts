/** The ways that peers name: no peer makes this process ask the name servers as often as it likes. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hop, NamedPlace } from "../../../src/telephony/sip/Hop.ts"
import { KnownAddresses } from "../../../src/telephony/sip/KnownAddresses.ts"
import * as Routes from "../../../src/telephony/sip/Routes.ts"
import { until } from "../../support/Until.ts"

const place: NamedPlace = { transport: "udp", address: "127.0.0.1", port: 5_060, serverName: "127.0.0.1" }

const opened = (addressesOf: (host: string) => Effect.Effect<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const guard = {
      admit: () => Effect.never,
      admitHost: (host: string) =>
        Effect.andThen(
          Effect.sync(() => asked.push(host)),
          addressesOf(host),
        ),
    }
    const known = new KnownAddresses(Date.now, () => true)
    const records = { find: () => Effect.succeed([]), findServices: () => Effect.succeed([]) }
    const parts = { guard, records, isOwnNetwork: () => true, known, publicHosts: ["127.0.0.1"] }
    const { resolve } = yield* Routes.make(parts)
    const found: Array<Hop> = []
    const follow = (uri: string, from = place) => resolve(uri, from, (hop) => void found.push(hop))
    return { asked, found, follow }
  })

it.live("of names that do not resolve lead back to the peer, beyond a few at a time", () =>
  Effect.gen(function* () {
    const { asked, follow, found } = yield* opened(() => Effect.never)
    for (let at = 0; at < 2_000; at++) follow(`sip:a@n${at}.example`)
    yield* Effect.promise(() => until(() => found.length + asked.length === 2_000))
    assert.isAtMost(asked.length, 64)
    assert.isTrue(found.every(({ address, port }) => address === place.address && port === place.port))
  }),
)

it.live("are cached by host, port and transport, without the rest of the peer's URI", () =>
  Effect.gen(function* () {
    const { asked, follow, found } = yield* opened(() => Effect.succeed(["127.0.0.2"]))
    follow("sip:a@trunk.example")
    yield* Effect.promise(() => until(() => found.length === 1))
    for (let at = 0; at < 100; at++) follow(`sip:u${at}${"x".repeat(5_000)}@trunk.example;n=${at}`)
    follow("sip:a@trunk.example;transport=tcp")
    yield* Effect.promise(() => until(() => found.length === 102))
    assert.deepStrictEqual(asked, ["trunk.example", "trunk.example"])
    assert.deepStrictEqual(new Set(found.map(({ transport }) => transport)), new Set(["udp", "tcp"]))
  }),
)

it.live("of one peer in any number leave look-ups to another peer, and do not change its addresses", () =>
  Effect.gen(function* () {
    const { asked, follow, found } = yield* opened((host) =>
      host === "127.0.0.3" ? Effect.succeed([host]) : Effect.never,
    )
    for (let at = 0; at < 2_000; at++) follow(`sip:a@n${at}.example`)
    const other = { ...place, address: "127.0.0.2" }
    follow("sip:a@trunk.example", other)
    follow("sip:a@127.0.0.3", other)
    yield* Effect.promise(() => until(() => asked.includes("trunk.example")))
    yield* Effect.promise(() => until(() => found.some(({ address }) => address === "127.0.0.3")))
  }),
)
