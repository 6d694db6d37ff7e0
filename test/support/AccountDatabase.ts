/** What a test asks or changes in the databases of a running Parley, past Parley itself. */
import pg from "pg"

/** A connection of its own for each statement. */
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

/** The address of the database of this account of the installation whose own database is `platform`. */
export const databaseOf = async (platform: URL, slug: string): Promise<URL> => {
  const [account] = await query(platform, "select database from accounts where slug = $1", [slug])
  const url = new URL(platform)
  url.pathname = `/${account.database}`
  return url
}
