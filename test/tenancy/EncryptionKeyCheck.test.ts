/** A start with the encryption key of another installation. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { refuseWrongKey } from "../../src/tenancy/EncryptionKeyCheck.ts"
import { layerWith, newAccount } from "../support/TestTenancy.ts"

const database = new URL(inject("postgres"))
database.pathname = `/parley_keys_${randomBytes(4).toString("hex")}`

const startWith = (key: string) =>
  Effect.provide(layerWith({ DATABASE_URL: database.href, PARLEY_ENCRYPTION_KEY: key }), { local: true })

it.live(
  "is refused while the key opens no account, and not because of one account",
  () =>
    Effect.gen(function* () {
      const [own, other] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")]
      yield* Effect.andThen(newAccount("first"), refuseWrongKey).pipe(startWith(own))
      const refusal = yield* Effect.flip(refuseWrongKey).pipe(startWith(other))
      assert.include(refusal.message, "does not open the data keys in this database (accounts: 1)")
      yield* Effect.andThen(newAccount("second"), refuseWrongKey).pipe(startWith(other))
    }),
  120_000,
)
