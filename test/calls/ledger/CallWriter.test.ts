/**
 * How many ends one transaction writes: it holds the account's budget meanwhile, and the process puts their words into
 * rows.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AfterCall, Calls } from "../../../src/calls/Calls.ts"
import { transaction } from "../../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { labLog } from "../../support/LabLog.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const batches: Array<number> = []
const after = Layer.succeed(AfterCall, {
  lockCampaigns: () => Effect.succeed(new Map()),
  settle: (ended) => Effect.sync(() => void batches.push(ended.length)),
})
const { ended, file } = labLog()

const hangsUp = "60"
const isNoNumber = "88"

it.layer(CallsRoom.layer({ after, env: { LAB_SPEED: "1000", LAB_LOG: file } }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("ends that come while others hold the budget", (it) => {
  for (const { what, suffix, calls: count, first } of [
    { what: "500 of them at once, when they are of answered calls", suffix: hangsUp, calls: 520, first: 500 },
    { what: "a thousand of them, when they are of unanswered calls", suffix: isNoNumber, calls: 1_020, first: 1_000 },
  ]) {
    it.effect(`are written, ${what}`, () =>
      Effect.gen(function* () {
        const account = yield* newAccount(`ends-${suffix}`, CallsRoom.wide)
        yield* Effect.gen(function* () {
          const calls = yield* Calls
          const sql = yield* SqlClient.SqlClient
          const { intentTo } = yield* CallsRoom.equip
          const numbers = Array.from({ length: count }, (_, at) => `+1415${1_000_000 + at}${suffix}`)
          const intended = yield* CallsRoom.intended(numbers.map(intentTo))
          const before = ended().length
          batches.length = 0
          yield* transaction(
            Effect.gen(function* () {
              yield* sql`select from budget for update`
              yield* calls.conduct(account, intended)
              while (ended().length < before + count) {
                // One that says nothing for long is thought dead.
                yield* sql`select`
                yield* Effect.sleep("20 millis")
              }
            }),
          )
          yield* CallsRoom.quiet
          assert.strictEqual(batches[0], first)
          assert.strictEqual(
            batches.reduce((sum, size) => sum + size, 0),
            count,
          )
        }).pipe(within(account))
      }),
    )
  }
})
