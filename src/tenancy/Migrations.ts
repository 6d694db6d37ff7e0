/** Applies `migrations/<family>/NNNN_name.sql`, each once, in order, all in one transaction. */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

type Family = "platform" | "tenant"

interface Script {
  readonly id: number
  readonly name: string
  readonly text: string
}

const read = (family: Family): ReadonlyArray<Script> => {
  const folder = join(import.meta.dirname, "../../migrations", family)
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, id, name] = /^(\d+)_(.+)\.sql$/.exec(file) ?? []
      if (id === undefined || name === undefined) return []
      return [{ id: Number(id), name, text: readFileSync(join(folder, file), "utf8") }]
    })
}

const scripts: Record<Family, ReadonlyArray<Script>> = { platform: read("platform"), tenant: read("tenant") }

/** The number of the newest migration of a tenant's database. */
export const newestOfTenant = scripts.tenant.at(-1)?.id ?? 0

/** Names the set of tenant migrations: a template database made from another set has another name. */
export const tenantDigest = createHash("sha256")
  .update(scripts.tenant.map((script) => script.text).join("\0"))
  .digest("hex")
  .slice(0, 12)

/** The driver sends one statement at a time; a `do` block is one statement that executes many. */
const runScript = (script: Script) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`do $migration$ begin execute $script$${script.text}$script$; end $migration$`),
  )

/** Brings the database of the `SqlClient` in the fiber to the newest schema. */
export const run = (family: Family) =>
  Migrator.make({})({
    loader: Effect.succeed(
      scripts[family].map(
        (script) => [script.id, script.name, Effect.succeed({ default: runScript(script) })] as const,
      ),
    ),
    table: "schema_migrations",
  })
