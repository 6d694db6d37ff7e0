/**
 * Receives an upload onto the disk before work on it begins, so a slow client holds neither a database connection nor
 * one of the few imports that run at once. The file has no name: if the process dies, nothing of it remains.
 */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { ListTooLarge } from "../../campaigns/lists/ListRefused.ts"
import { Invalid } from "../../domain/Refusals.ts"
import { DataFolder } from "../../tenancy/DataFolder.ts"

/** Bytes of a piece that is read back. */
const pieceSize = 65_536

export const make = Effect.gen(function* () {
  const folder = join(yield* DataFolder, "uploads")
  /** Receives the whole file, which lives until the scope closes. Fails at the first piece beyond `mostBytes`. */
  return Effect.fn("Spool.receive")(function* (file: AsyncIterable<Buffer>, mostBytes: number) {
    const handle = yield* Effect.acquireRelease(
      Effect.promise(() => openNameless(folder)),
      (handle) => Effect.promise(() => handle.close()),
    )
    yield* Effect.tryPromise({
      try: async () => {
        let bytes = 0
        for await (const piece of file) {
          await handle.appendFile(piece)
          bytes += piece.length
          if (bytes > mostBytes) throw new ListTooLarge({ limit_bytes: mostBytes })
        }
      },
      catch: (cause) => cause,
      // A fault of the form is the sender's; any other failure, such as a client that is gone, is a defect.
    }).pipe(
      Effect.catch((cause) =>
        cause instanceof Invalid || cause instanceof ListTooLarge ? Effect.fail(cause) : Effect.die(cause),
      ),
    )
    const received: AsyncIterable<Buffer> = {
      [Symbol.asyncIterator]: () =>
        handle.createReadStream({ start: 0, autoClose: false, highWaterMark: pieceSize })[Symbol.asyncIterator](),
    }
    return received
  })
})

const openNameless = async (folder: string) => {
  await mkdir(folder, { recursive: true })
  const path = join(folder, randomUUID())
  const handle = await open(path, "wx+", 0o600)
  await rm(path)
  return handle
}
