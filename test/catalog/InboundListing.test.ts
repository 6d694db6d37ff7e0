/** The directory of called numbers follows the accounts' own databases: as they change, and after a restore. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CatalogSettings } from "../../src/catalog/CatalogSettings.ts"
import { relist } from "../../src/catalog/InboundListing.ts"
import * as PhoneNumbers from "../../src/catalog/PhoneNumbers.ts"
import { E164 } from "../../src/domain/E164.ts"
import { InboundNumbers } from "../../src/tenancy/InboundNumbers.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { dialler } from "../support/Principals.ts"
import * as TestTenancy from "../support/TestTenancy.ts"

const options = { timeout: "120 seconds", excludeTestServices: true } as const
const number = E164.make("+14155550100")
const address = "198.51.100.7"
const carrier_config = { server: "SIP.example.com", username: "u", password: "secret", addresses: [address] }

/** The accounts that receive calls to the number from the trunk's address. */
const receivers = Effect.flatMap(InboundNumbers, (directory) =>
  Effect.map(directory.claimsOn([number], { address, servers: [] }), (claims) => claims.map(({ slug }) => slug)),
)

const layers = Layer.mergeAll(TestTenancy.layer, CatalogSettings.layer, dialler)

it.layer(layers, options)("the directory of called numbers", (it) => {
  const inAccount = <A, E, R>(slug: string, self: Effect.Effect<A, E, R>) =>
    Effect.flatMap(TestTenancy.newAccount(slug), (entry) => TestTenancy.within(entry)(self))
  const create = PhoneNumbers.create({ number, carrier: "sip", carrier_config })

  it.effect("lists a SIP number while it has a trunk, the first account that has it first", () =>
    Effect.gen(function* () {
      yield* inAccount("first", create)
      assert.deepStrictEqual(yield* receivers, ["first"])
      yield* inAccount(
        "second",
        Effect.gen(function* () {
          const { id } = yield* create
          assert.deepStrictEqual(yield* receivers, ["first", "second"])
          yield* PhoneNumbers.update(id, { carrier_config: { server: "elsewhere.example.com" } }, undefined)
          assert.deepStrictEqual(yield* receivers, ["first"])
          yield* PhoneNumbers.remove(id)
        }),
      )
    }),
  )

  it.effect("is made again from an account's own database, as after a restore", () =>
    inAccount(
      "restored",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const platform = yield* PlatformDatabase
        const { id } = yield* create
        yield* platform`delete from inbound_numbers where phone_number_id = ${id}`
        assert.notInclude(yield* receivers, "restored")
        yield* relist()
        assert.include(yield* receivers, "restored")
        yield* sql`delete from phone_numbers where id = ${id}`
        yield* relist()
        assert.notInclude(yield* receivers, "restored")
      }),
    ),
  )
})
