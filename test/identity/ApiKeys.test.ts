import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as ApiKeys from "../../src/identity/ApiKeys.ts"
import * as KeyText from "../../src/identity/KeyText.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

const wanted = { name: "Import", scopes: ["read", "write"], expires_at: null } as const
const authenticate = (key: string) =>
  Effect.flatMap(Effect.fromResult(ApiKeys.parse(key)), (presented) => ApiKeys.authenticate(presented, null))
const stored = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from api_keys`)

it("a key is pak_<12 letters>_<30 letters><6 letters of CRC-32>; any other text is refused without a look-up", () => {
  const body = `pak_${"a1B2c3D4e5F6"}_${"0123456789abcdefghijABCDEFGHIJ"}`
  const key = `${body}${KeyText.checksum(body)}`
  assert.isTrue(Result.isSuccess(ApiKeys.parse(key)))
  const wrong = [
    `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`,
    key.replace("a1B2", "a1B3"),
    key.replace("0123", "0124"),
    key.slice(0, -1),
    `${key}0`,
    `${key} `,
    key.replace("pak_", "PAK_"),
    "pak_",
    "pak_x_y",
  ]
  for (const text of wrong) assert.isTrue(Result.isFailure(ApiKeys.parse(text)), text)
})

it("the checksum is CRC-32 in base62, the known value of the standard's test string among them", () => {
  // CRC-32 of "123456789" is 0xcbf43926 = 3,421,780,262.
  const value = [...KeyText.checksum("123456789")].reduce(
    (sum, letter) => sum * 62 + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".indexOf(letter),
    0,
  )
  assert.strictEqual(value, 0xcbf43926)
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("API keys (decisions §3)", (it) => {
  it.effect("the text is shown once and kept as SHA-256 alone", () =>
    Effect.gen(function* () {
      const acme = yield* newAccount("shown")
      const made = yield* within(acme)(ApiKeys.create(wanted))
      const rows = yield* within(acme)(stored)
      assert.deepStrictEqual(Buffer.from(rows[0]?.secret_hash as Uint8Array), Buffer.from(KeyText.hash(made.key)))
      assert.notInclude(JSON.stringify(rows), made.key.slice(-36))
      const listed = yield* within(acme)(ApiKeys.list({ page: 0, page_size: 50 }))
      assert.notProperty(listed.items[0], "key")
      assert.notProperty(listed.items[0], "secret_hash")
    }),
  )

  it.effect("it opens the account whose database holds it, with its scopes, and no other account", () =>
    Effect.gen(function* () {
      const [acme, globex] = [yield* newAccount("holds"), yield* newAccount("other")]
      const made = yield* within(acme)(ApiKeys.create(wanted))
      assert.deepInclude(yield* within(acme)(authenticate(made.key)), {
        _tag: "ApiKey",
        id: made.id,
        scopes: wanted.scopes,
      })
      const refused = yield* within(globex)(Effect.flip(authenticate(made.key)))
      assert.strictEqual(refused._tag, "Unauthenticated")
    }),
  )

  it.effect("a key of the same key id with another secret is refused, so is an expired and a deleted one", () =>
    Effect.gen(function* () {
      const acme = yield* newAccount("expires")
      const { id, key, key_id } = yield* within(acme)(ApiKeys.create(wanted))
      const refusal = (text: string) =>
        within(acme)(Effect.map(Effect.flip(authenticate(text)), ({ message }) => message))
      const forged = `pak_${key_id}_${KeyText.random(30)}`
      assert.include(yield* refusal(`${forged}${KeyText.checksum(forged)}`), "has no such API key")
      yield* within(acme)(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update api_keys set expires_at = now() - interval '1 second'`),
      )
      assert.include(yield* refusal(key), "expired")
      yield* within(acme)(ApiKeys.remove(id))
      assert.include(yield* refusal(key), "has no such API key")
    }),
  )

  it.effect("an expiry in the past is refused on creation", () =>
    Effect.gen(function* () {
      const acme = yield* newAccount("past")
      const refused = yield* within(acme)(
        Effect.flip(ApiKeys.create({ ...wanted, expires_at: "2020-01-01T00:00:00Z" })),
      )
      assert.strictEqual(refused._tag, "Invalid")
    }),
  )

  it.effect("its last use is noted, once a minute at most", () =>
    Effect.gen(function* () {
      const acme = yield* newAccount("noted")
      const { key } = yield* within(acme)(ApiKeys.create(wanted))
      const lastUse = within(acme)(stored).pipe(Effect.map(([row]) => row?.last_used_at))
      assert.isNull(yield* lastUse)
      yield* within(acme)(authenticate(key))
      const first = yield* lastUse
      assert.instanceOf(first, Date)
      yield* within(acme)(authenticate(key))
      assert.deepStrictEqual(yield* lastUse, first)
      yield* within(acme)(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`update api_keys set last_used_at = now() - interval '2 minutes'`,
        ),
      )
      yield* within(acme)(authenticate(key))
      assert.isAtLeast(((yield* lastUse) as Date).getTime(), (first as Date).getTime())
    }),
  )
})
