/** Every row of an account's database as text, to search for traces of data that must not be there. */
import pg from "pg"
import { inject } from "vitest"

/** Opens the account's database as the server's superuser. `directory` is the URL of the platform's database. */
export const openAccount = async (directory: string, slug: string) => {
  const connect = async (database: string) => {
    const url = new URL(inject("postgres"))
    url.pathname = `/${database}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    return client
  }
  const platform = await connect(directory)
  const { rows } = await platform.query<{ id: string; database: string }>(
    "select id, database from accounts where slug = $1",
    [slug],
  )
  await platform.end()
  const { database, id } = rows[0]!
  const client = await connect(database)
  return {
    id,
    query: async (text: string, values: Array<unknown> = []): Promise<ReadonlyArray<Record<string, unknown>>> =>
      (await client.query<Record<string, unknown>>(text, values)).rows,
    /** The names of the tables in which a row contains the text. */
    tablesWith: async (text: string) => {
      const tables = await client.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
      )
      const found: Array<string> = []
      for (const { name } of tables.rows) {
        const hits = await client.query(`select from "${name}" t where to_jsonb(t)::text like $1 limit 1`, [
          `%${text}%`,
        ])
        if (hits.rows.length > 0) found.push(name)
      }
      return found
    },
    close: () => client.end(),
  }
}
