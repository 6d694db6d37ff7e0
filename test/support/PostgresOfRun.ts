/** One real PostgreSQL for the whole run, in a folder that is thrown away: each test file makes its own databases on it. */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string
  }
}

/** The folder does not outlive the run, so nothing waits for the disk: a dropped account took 13 s with fsync. */
const withoutDisk = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }

export default async (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"))
  const scope = Effect.runSync(Scope.make())
  const { url } = await Effect.runPromise(
    Layer.buildWithScope(EmbeddedPostgres.layer(folder, withoutDisk), scope).pipe(
      Effect.map(Context.get(EmbeddedPostgres)),
    ),
  )
  project.provide("postgres", Redacted.value(url))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}
