/** The template databases of new accounts, when releases come and go. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { layerWith, newAccount, within } from "../support/TestTenancy.ts"

describe.skipIf(debianPostgresFault !== undefined)("templates", () => {
  let server: DebianPostgres
  beforeAll(async () => {
    server = await debianPostgres()
  }, 60_000)
  afterAll(() => server.stop())

  /** Names with what is known of their last use. */
  const templates = () =>
    server.asSuperuser(
      `select datname, case when shobj_description(oid, 'pg_database')::timestamptz > now() - interval '1 hour'
         then 'fresh' else 'old' end
       from pg_database where starts_with(datname, 'parley_template_') order by 1`,
    )
  const ours = () => templates().filter((line) => !line.startsWith("parley_template_other"))

  it.live(
    "of other releases are dropped at a start, a week after their last use",
    () =>
      Effect.gen(function* () {
        for (const [name, comment] of [
          ["other_new", "now()::text"],
          ["other_old", "(now() - interval '8 days')::text"],
          ["other_unknown", "null"],
        ]) {
          server.asSuperuser(`create database parley_template_${name} owner parley is_template true`)
          server.asSuperuser(
            `do $do$ begin execute format('comment on database parley_template_${name} is %L', ${comment}); end $do$`,
          )
        }
        yield* Effect.scoped(Layer.build(layerWith({ DATABASE_URL: server.url })))
        assert.deepStrictEqual(
          templates().filter((line) => line.startsWith("parley_template_other")),
          ["parley_template_other_new|fresh", "parley_template_other_unknown|fresh"],
        )
        assert.lengthOf(ours(), 1)
      }),
    120_000,
  )

  it.live(
    "that are gone are made again for the next account",
    () =>
      Effect.gen(function* () {
        const tenancy = yield* Layer.build(layerWith({ DATABASE_URL: server.url }))
        const [own = ""] = ours().map((line) => line.split("|", 1)[0])
        yield* Effect.gen(function* () {
          yield* newAccount("before")
          server.asSuperuser(`alter database ${own} is_template false`)
          server.asSuperuser(`drop database ${own} with (force)`)
          const entry = yield* newAccount("after")
          yield* within(entry)(Effect.void)
        }).pipe(Effect.provideContext(tenancy))
        assert.deepStrictEqual(ours(), [`${own}|fresh`])
      }).pipe(Effect.scoped),
    120_000,
  )
})
