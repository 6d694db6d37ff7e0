/**
 * One real PostgreSQL for the whole run: each test file makes its own databases on it. It is in a folder that is thrown
 * away, with everything else that the tests write.
 */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string
  }
}

/**
 * The folder does not outlive the run, so nothing waits for the disk: a dropped account took 13 s with fsync. Autovacuum
 * looks into each of some hundred databases once in that time: every minute, it started five processes a second.
 */
const shortLived = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum_naptime: "10min" }

export default async (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"))
  // Servers that tests start drop root's rights, and still have to reach their own folders in it.
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  // A server that a test starts spends a fifth less of the processor on modules that a process of this run, or of an
  // earlier one, has compiled.
  process.env["NODE_COMPILE_CACHE"] = join(import.meta.dirname, "../../node_modules/.cache/compiled")
  const scope = Effect.runSync(Scope.make())
  const { url } = await Effect.runPromise(
    Layer.buildWithScope(EmbeddedPostgres.layer(folder, shortLived), scope).pipe(
      Effect.map(Context.get(EmbeddedPostgres)),
    ),
  )
  project.provide("postgres", Redacted.value(url))
  return async () => {
    // Nothing of it is kept: writing a last checkpoint and deleting some hundred databases would take 40 s.
    const [postmaster] = readFileSync(join(folder, "postgres/postmaster.pid"), "utf8").split("\n")
    process.kill(Number(postmaster), "SIGQUIT")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    spawn("rm", ["-rf", folder], { detached: true, stdio: "ignore" }).unref()
  }
}
