/**
 * One real PostgreSQL for the whole run, on which each test file creates its own databases. It is in memory if the
 * machine has enough. Everything else that the tests write is in the run's temporary folder.
 */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"
import { deleteAbandoned, folderInMemory } from "./FolderInMemory.ts"

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string
  }
}

/**
 * The folder is deleted after the run, so nothing waits for the disk: with fsync, dropping an account took 13 s.
 * Autovacuum visits each database once per naptime. With some hundred databases and the default of one minute, it
 * started five processes a second; no run lasts a day.
 */
const shortLived = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum_naptime: "1d",
}

const prefix = "parley-test-"

export default async (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  // Servers that tests start drop root's rights, and still need to reach their own folders here.
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  // Some 600 servers start in a run. One that runs the build, and finds its code compiled, needs a third of the time.
  execFileSync(process.execPath, ["apps/build.ts", "server"], { stdio: ["ignore", "ignore", "inherit"] })
  process.env["NODE_COMPILE_CACHE"] = join(import.meta.dirname, "../../node_modules/.cache/compiled")
  deleteAbandoned(prefix)
  const database = folderInMemory(prefix)
  const scope = Effect.runSync(Scope.make())
  const { url } = await Effect.runPromise(
    Layer.buildWithScope(EmbeddedPostgres.layer(database, shortLived), scope).pipe(
      Effect.map(Context.get(EmbeddedPostgres)),
    ),
  )
  project.provide("postgres", Redacted.value(url))
  return async () => {
    // Stop without a checkpoint, since nothing is kept: it and deleting some hundred databases would take 40 s.
    const [postmaster] = readFileSync(join(database, "postgres/postmaster.pid"), "utf8").split("\n")
    process.kill(Number(postmaster), "SIGQUIT")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    spawn("rm", ["-rf", folder, database], { detached: true, stdio: "ignore" }).unref()
  }
}
