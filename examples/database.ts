/** A PostgreSQL for several servers: the one that a server without DATABASE_URL runs for itself. */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgres } from "../src/tenancy/EmbeddedPostgres.ts"

export interface Database {
  readonly url: string
  /** Stops it and removes its files. */
  readonly stop: () => Promise<void>
}

export const openDatabase = async (): Promise<Database> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-database-"))
  // PostgreSQL does not run as root, so root starts it as another user, who has to reach its files.
  await chmod(folder, 0o711)
  const scope = Effect.runSync(Scope.make())
  const stop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const built = await Effect.runPromise(Layer.buildWithScope(EmbeddedPostgres.layer(folder), scope))
    return { url: Redacted.value(Context.get(built, EmbeddedPostgres).url), stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
