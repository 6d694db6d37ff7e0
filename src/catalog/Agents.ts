/** The account's agents (spec §2; decisions §2, Agent). What an agent is given to work with is AgentKit's. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Agent } from "../domain/Agent.ts"
import { isUuid } from "../domain/Name.ts"
import { NotFound } from "../domain/Refusals.ts"

const Row = Schema.toType(Schema.Struct({ ...Agent.fields, revision: Schema.Int }))
export type AgentRow = typeof Row.Type

/** By id or by name (decisions §1). */
export const find = Effect.fn("Agents.find")(
  function* (idOrName: string) {
    const sql = yield* SqlClient.SqlClient
    const one = SqlSchema.findOne({
      Request: Schema.String,
      Result: Row,
      execute: (key) => sql`select * from agents where ${isUuid(key) ? sql`id = ${key}` : sql`name = ${key}`}`,
    })
    return yield* one(idOrName)
  },
  (find, idOrName) =>
    Effect.catchTags(find, {
      NoSuchElementError: () => new NotFound({ resource: "agent", id: idOrName }),
      SchemaError: Effect.die,
      SqlError: Effect.die,
    }),
)
