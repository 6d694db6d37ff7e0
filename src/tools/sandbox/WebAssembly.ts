/**
 * The second sandbox: CPython on WebAssembly in a locked Node process, for machines without bubblewrap.
 * docs/python-tools.md lists what it prevents and what it does not.
 */
import { Duration, Effect, Fiber, Scope } from "effect"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { isOpenToAll } from "../../tenancy/ServerUser.ts"
import * as Snapshot from "./webassembly/Snapshot.ts"
import { type Command, sandboxUser, start, WorkerFailed } from "./Worker.ts"
import type { Isolation } from "./WorkerPool.ts"

const interpreter = fileURLToPath(new URL("webassembly/Interpreter.ts", import.meta.url))
const pyodide = dirname(fileURLToPath(import.meta.resolve("pyodide")))

/** 256 MiB in pages of WebAssembly. */
const mostPages = 4096

const locked = [
  ...["--permission", `--allow-fs-read=${join(dirname(interpreter), "*")}`, `--allow-fs-read=${join(pyodide, "*")}`],
  ...["--disallow-code-generation-from-strings", "--disable-proto=delete", "--no-addons", "--disable-sigusr1"],
  ...["--no-experimental-websocket", "--no-warnings", "--max-old-space-size=96", "--max-semi-space-size=2"],
  // The stack is deep enough for Python's own limit on recursion to come first.
  ...[`--wasm-max-mem-pages=${mostPages}`, "--stack-size=3900"],
]

/**
 * Limits that the process cannot raise again. Where `setpriv` is missing, the limit of 15 s of processor time ends a
 * process that a killed server leaves behind: the start takes one or two seconds of it, a tool ten. The process writes
 * no file, and has no descriptor left for a socket (Interpreter.ts).
 */
const limits = "ulimit -t 15 && ulimit -c 0 && ulimit -f 0 && ulimit -n 64"

const nobody = 65534
/** Takes the network and root's rights from the process, if the machine allows it. */
const unsharing = ["unshare", "--user", "--net", `--map-user=${nobody}`, `--map-group=${nobody}`, "--"]
/** Ends the process when the server ends. It stands after `unshare`, which would undo it. */
const dyingWithParent = ["setpriv", "--pdeathsig", "KILL", "--no-new-privs", "--"]

/** How many processes wait for a job; each takes 140 MB. */
const spare = 2

const rootAlone =
  "Parley runs as root in a folder that no other user can read, and user namespaces are not allowed; run it as an ordinary user or from another folder"

/**
 * Fails with a sentence that says why it is not available. `path` is searched for `unshare` and `setpriv`; `folder`
 * keeps the snapshot.
 */
export const isolation = Effect.fnUntraced(function* (
  path: string,
  folder: string,
): Effect.fn.Return<Isolation, WorkerFailed, Scope.Scope> {
  if (process.platform === "win32")
    return yield* new WorkerFailed({ why: "the WebAssembly sandbox needs a POSIX shell" })
  const isRoot = process.getuid?.() === 0
  const isReadable = [process.execPath, interpreter, pyodide].every(isOpenToAll)
  const credentials = isRoot && isReadable ? sandboxUser : {}
  const unshared = yield* probe(path, credentials, unsharing)
  const prefix = [...unshared, ...(yield* probe(path, credentials, dyingWithParent))]
  if (isRoot && !isReadable && unshared.length === 0) {
    return yield* new WorkerFailed({ why: rootAlone })
  }
  const command = (mode: "make" | "serve", fourth: Command["fourth"]): Command => {
    const [file = "", ...args] = [
      ...prefix,
      ...["/bin/sh", "-c", `${limits} && exec "$@"`, "sh", process.execPath, ...locked, interpreter, mode],
    ]
    return { file, args, env: { TZ: "UTC" }, credentials, fourth }
  }
  // The snapshot is made in the layer's scope, so that it continues for the other waiters when one is interrupted.
  const scope = yield* Effect.scope
  const [making, forget] = yield* Effect.cachedInvalidateWithTTL(
    Snapshot.acquire(folder, command("make", new Uint8Array())).pipe(Scope.provide(scope), Effect.forkIn(scope)),
    Duration.infinity,
  )
  const snapshot = making.pipe(
    Effect.flatMap(Fiber.join),
    Effect.tapError(() => forget),
    Effect.mapError(({ message }) => new WorkerFailed({ why: message })),
  )
  return {
    name: "webassembly",
    prepare: snapshot,
    start: Effect.flatMap(snapshot, (file) => start(command("serve", file))),
    spare,
  }
})

/** Tries a command that starts another one. Returns its path and arguments; empty if it is missing or not permitted. */
const probe = (path: string, credentials: Command["credentials"], [name = "", ...args]: ReadonlyArray<string>) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const file = path
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find((candidate) => existsSync(candidate))
    if (file === undefined) return resume(Effect.succeed([]))
    execFile(file, [...args, "true"], { ...credentials, cwd: "/", env: { PATH: path } }, (error) =>
      resume(Effect.succeed(error === null ? [file, ...args] : [])),
    )
  })
