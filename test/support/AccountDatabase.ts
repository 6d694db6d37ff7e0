/** Direct access to the databases of a running Parley, past Parley itself. */
import pg from "pg"

/** Runs one statement on its own connection. */
export const query = async (
  url: URL,
  statement: string,
  values: ReadonlyArray<unknown> = [],
): Promise<ReadonlyArray<any>> => {
  const client = new pg.Client(url.href)
  await client.connect()
  try {
    return (await client.query(statement, [...values])).rows
  } finally {
    await client.end()
  }
}

/** The URL of an account's database. `platform` is the URL of the installation's own database. */
export const databaseOf = async (platform: URL, slug: string): Promise<URL> => {
  const [account] = await query(platform, "select database from accounts where slug = $1", [slug])
  const url = new URL(platform)
  url.pathname = `/${account.database}`
  return url
}
