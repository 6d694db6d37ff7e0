/**
 * A snapshot of the memory of a Python that has started and imported the most used modules; interpreters start from it
 * in a tenth of the time. It is made when first needed and kept in the data folder: a digest of 32 bytes, then the
 * memory.
 */
import { Data, Effect, type Scope } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { constants, readFileSync } from "node:fs"
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { killChild } from "../../../offload/KillChild.ts"
import { type Command, pipesOf, spawnLocked } from "../Worker.ts"

export class SnapshotFailed extends Data.TaggedError("SnapshotFailed")<{ readonly why: string }> {
  override get message() {
    return `the first start of Python on WebAssembly failed: ${this.why}`
  }
}

/** The code that runs before the snapshot is taken. */
const source = ["../tool.py", "prelude.py"]
  .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
  .join("\n")

const { version } = createRequire(import.meta.url)("pyodide/package.json")
const digestOf = (...parts: ReadonlyArray<string>) => createHash("sha256").update(parts.join("\0")).digest("hex")
/** Another version of Pyodide or Node, or other initial code, makes another snapshot. */
const file = `${digestOf(version, process.version, source).slice(0, 16)}.snapshot`

const digestSize = 32
/** The work takes three seconds on an idle processor. */
const longestMaking = "2 minutes"

/**
 * Opens the snapshot. Makes a new one if there is none, if it is damaged, or if another user could have written it. The
 * descriptor is closed with the scope; processes read it at their own positions.
 */
export const acquire = (folder: string, maker: Command): Effect.Effect<number, SnapshotFailed, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(() => openTrusted(join(folder, file))).pipe(
      Effect.filterOrElse(
        (handle) => handle !== undefined,
        () => Effect.flatMap(make(maker), (bytes) => attempt(() => keep(folder, bytes))),
      ),
    ),
    (handle) => Effect.promise(() => handle.close()),
  ).pipe(Effect.map(({ fd }) => fd))

const attempt = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new SnapshotFailed({ why: cause instanceof Error ? cause.message : String(cause) }),
  })

const openTrusted = async (path: string): Promise<FileHandle | undefined> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  if (handle === undefined || (await isTrusted(handle))) return handle
  await handle.close()
  return undefined
}

/** Whether the file is whole, owned by this user, and writable by no other user. */
const isTrusted = async (handle: FileHandle): Promise<boolean> => {
  const { mode, uid } = await handle.stat()
  if ((mode & 0o022) !== 0 || uid !== process.getuid?.()) return false
  const digest = Buffer.alloc(digestSize)
  await handle.read(digest, 0, digestSize, 0)
  const hash = createHash("sha256")
  for await (const chunk of handle.createReadStream({ start: digestSize, autoClose: false })) hash.update(chunk)
  return hash.digest().equals(digest)
}

/**
 * Writes a file that appears complete or not at all, since several processes may write it at once. If the folder cannot
 * keep one, the file is unnamed.
 */
const keep = async (folder: string, bytes: ReadonlyArray<Uint8Array>): Promise<FileHandle> => {
  const kept = await write(folder, bytes).catch(() => undefined)
  if (kept !== undefined) {
    await removeOthers(folder)
    return kept
  }
  const ours = await mkdtemp(join(tmpdir(), "parley-python-"))
  try {
    return await write(ours, bytes)
  } finally {
    await rm(ours, { recursive: true, force: true })
  }
}

const write = async (folder: string, bytes: ReadonlyArray<Uint8Array>): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `${randomUUID()}.draft`)
  try {
    await writeFile(draft, bytes, { flag: "wx", mode: 0o400 })
    await rename(draft, join(folder, file))
  } finally {
    await rm(draft, { force: true })
  }
  const handle = await openTrusted(join(folder, file))
  if (handle === undefined) throw new Error(`${join(folder, file)} was changed by another program`)
  return handle
}

/** Removes snapshots of other versions. A process that has one open keeps it. */
const removeOthers = async (folder: string) => {
  const others = (await readdir(folder)).filter((name) => name.endsWith(".snapshot") && name !== file)
  await Promise.all(others.map((name) => rm(join(folder, name), { force: true })))
}

/** Makes a snapshot. Returns the digest and the memory. */
const make = (maker: Command) =>
  Effect.callback<ReadonlyArray<Uint8Array>, SnapshotFailed>((resume) => {
    const process = spawnLocked(maker)
    const fail = (why: string) => resume(Effect.fail(new SnapshotFailed({ why })))
    const hash = createHash("sha256")
    const chunks: Array<Uint8Array> = []
    let said = ""
    process.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()))
    const result = pipesOf(process)[3]
    if (result instanceof Readable) {
      result.on("data", (chunk: Buffer) => {
        hash.update(chunk)
        chunks.push(chunk)
      })
    }
    process.once("error", ({ message }) => fail(message))
    process.once("close", (code) =>
      code === 0 && chunks.length > 0
        ? resume(Effect.succeed([hash.digest(), ...chunks]))
        : fail(said.trim().split("\n").at(-1) ?? `it ended with ${code}`),
    )
    process.stdin?.end(source)
    return Effect.sync(() => killChild(process))
  }).pipe(
    Effect.timeoutOrElse({
      duration: longestMaking,
      orElse: () => Effect.fail(new SnapshotFailed({ why: `it took longer than ${longestMaking}` })),
    }),
  )
