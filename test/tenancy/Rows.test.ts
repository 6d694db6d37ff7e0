import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Schema } from "effect"
import { SqlError, type Statement } from "effect/sql"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import * as Rows from "../../src/tenancy/Rows.ts"
import { layer } from "../support/TestTenancy.ts"

const Row = Schema.Struct({ id: Schema.Int, due_at: Schema.NullOr(Schema.Date) })

/** The statement, read in each of the ways. */
const everyWay = (
  statement: Statement.Statement<unknown>,
): ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>> => [
  Rows.all(Row)(statement),
  Rows.first(Row)(statement),
  Rows.one(Row)(statement),
]

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("rows of a statement", (it) => {
  it.effect("are decoded, all of them in the statement's order", () =>
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const rows = yield* Rows.all(Row)(sql`
        select id, case when id = 2 then 'epoch'::timestamptz end as due_at from generate_series(3, 1, -1) id`)
      assert.deepStrictEqual(rows, [
        { id: 3, due_at: null },
        { id: 2, due_at: new Date(0) },
        { id: 1, due_at: null },
      ])
    }),
  )

  it.effect("may be none where several or a first one are asked for, and never where one is", () =>
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const none = sql`select 1 as id, null::timestamptz as due_at where false`
      assert.deepStrictEqual(yield* Rows.all(Row)(none), [])
      assert.isUndefined(yield* Rows.first(Row)(none))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(Rows.one(Row)(none))))
      const some = sql`select id, null::timestamptz as due_at from generate_series(1, 2) id`
      assert.deepStrictEqual(yield* Rows.first(Row)(some), { id: 1, due_at: null })
      assert.deepStrictEqual(yield* Rows.one(Row)(some), { id: 1, due_at: null })
    }),
  )

  it.effect("that do not decode are a defect, which names the column and not what stands in it", () =>
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const broken = sql`select 'Ada Lovelace' as id, null::timestamptz as due_at`
      for (const read of everyWay(broken)) {
        const exit = yield* Effect.exit(read)
        assert.isTrue(Exit.hasDies(exit))
        const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
        assert.include(text, `at ["id"]`)
        assert.notInclude(text, "Ada")
      }
    }),
  )

  it.effect("leave the errors of the statement typed", () =>
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const wrong = sql`select id from no_such_table`
      for (const read of everyWay(wrong)) {
        assert.isTrue(SqlError.isSqlError(yield* Effect.flip(read)))
      }
    }),
  )
})

describe("the decoder of a schema", () => {
  it("is compiled once", () => {
    assert.strictEqual(Rows.decoderOf(Row), Rows.decoderOf(Row))
  })
})
