/**
 * Exports for an account's owners: orders a copy of the account, which is written in the background, and opens its
 * file. An account has one export at a time, and one file.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Effect, FiberSet, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import type { AccountExport, NewExport } from "../domain/Export.ts"
import { InvalidState, type NotFound } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { noProgress } from "./ExportAccount.ts"
import { ExportFolder } from "./ExportFolder.ts"
import * as ExportRows from "./ExportRows.ts"
import * as ExportWriter from "./ExportWriter.ts"

type Here = SqlClient.SqlClient | CurrentTenant

export interface ExportFile {
  readonly bytes: number
  /** Reads from the byte `first` to the byte `last`, both included. */
  readonly read: (first: number, last: number) => Stream.Stream<Uint8Array>
}

export class Exports extends Context.Service<
  Exports,
  {
    /** Stores the order, and begins to write the archive after the commit. The file of an earlier export is deleted. */
    readonly begin: (wanted: NewExport) => Effect.Effect<AccountExport, InvalidState, Here>
    readonly open: (id: string) => Effect.Effect<ExportFile, NotFound | InvalidState, Here>
    /**
     * Deletes the account's file and ends its running export, because they contain what was erased from the account.
     */
    readonly withdraw: Effect.Effect<void, never, Here>
  }
>()("archive/Exports") {
  static readonly layer = Layer.effect(
    this,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const folder = yield* ExportFolder
  const write = yield* ExportWriter.make
  const fibers = yield* FiberSet.make<void>()
  // The layer's own context: the work must not inherit the transaction of the fiber that orders it.
  const start = yield* FiberSet.runtime(fibers)<never>()

  const begin = Effect.fn("Exports.begin")(
    function* ({ recordings = true }: NewExport) {
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* CurrentTenant
      const id = yield* ExportRows.insert(recordings, noProgress())
      const work = Effect.andThen(folder.clear(tenant, id), write(tenant, id, recordings))
      yield* sql.afterCommit(Effect.sync(() => void start(work)))
      return yield* Effect.catchTag(ExportRows.find(id), "NotFound", Effect.die)
    },
    transaction,
    Effect.catchTag("SqlError", Effect.die),
  )

  const open = Effect.fn("Exports.open")(function* (id: string) {
    const tenant = yield* CurrentTenant
    const { host, status } = yield* ExportRows.findRow(id)
    if (status !== "completed") {
      const detail =
        status === "running"
          ? "The export is running. Its file is available when it has ended."
          : `The export ${status === "failed" ? "failed" : "has expired"}. Order a new one.`
      return yield* new InvalidState({ state: status, detail })
    }
    const path = folder.fileOf(tenant, id)
    const bytes = yield* Effect.promise(() =>
      stat(path).then(
        ({ size }) => size,
        () => undefined,
      ),
    )
    if (bytes === undefined) {
      const detail = `The file is on the disk of the machine ${host}, which this process cannot read. Give all machines one shared folder (PARLEY_EXPORTS_DIR).`
      return yield* new InvalidState({ state: "elsewhere", detail })
    }
    const file: ExportFile = {
      bytes,
      read: (first, last) =>
        Stream.orDie(NodeStream.fromReadable({ evaluate: () => createReadStream(path, { start: first, end: last }) })),
    }
    return file
  })

  const withdraw = Effect.gen(function* () {
    if (yield* ExportRows.withdraw) yield* folder.clear(yield* CurrentTenant)
  }).pipe(Effect.withSpan("Exports.withdraw"))

  return Exports.of({ begin, open, withdraw })
})
