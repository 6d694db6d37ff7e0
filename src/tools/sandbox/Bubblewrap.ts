/**
 * Starts python under bubblewrap so that it can reach nothing: no network, no environment, no files except a readable
 * python, no writable place, no other process, no user namespace of its own.
 */
import { Effect } from "effect"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"
import * as SystemCalls from "./SystemCalls.ts"
import { type Command, sandboxUser, start, WorkerFailed } from "./Worker.ts"
import type { Isolation } from "./WorkerPool.ts"

const source = ["tool.py", "worker.py"].map((file) => readFileSync(new URL(file, import.meta.url), "utf8")).join("\n")

const nobody = 65534

/** Folders that python needs, if the system has them. */
const readable = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/nix/store", "/etc/ld.so.cache"]
/** Old names of the folders above. */
const links = ["/lib", "/lib64"]

/** How many processes wait for a job; each takes 10 MB. */
const spare = 4

/** Fails with the sentence that says what is missing. */
export const isolation = (path: string, python: string): Effect.Effect<Isolation, WorkerFailed> => {
  const found = command(path, python)
  if (typeof found === "string") return Effect.fail(new WorkerFailed({ why: found }))
  return Effect.succeed({ name: "bubblewrap", prepare: Effect.void, start: start(found), spare })
}

const command = (path: string, python: string): Command | string => {
  if (process.platform !== "linux") return "bubblewrap exists on Linux alone"
  const file = path
    .split(delimiter)
    .map((folder) => join(folder, "bwrap"))
    .find((candidate) => existsSync(candidate))
  if (file === undefined) return "bubblewrap (bwrap) is not installed"
  if (!existsSync(python)) return `there is no python at ${python}`
  const filter = SystemCalls.filter(process.arch)
  if (filter === undefined) return `no filter of system calls is known for ${process.arch}`
  return {
    file,
    args: argumentsFor(realpathSync(python)),
    // Bubblewrap's own environment can be read inside, in /proc/1/environ.
    env: {},
    fourth: filter,
    // A limit on processes has no effect for root.
    credentials: process.getuid?.() === 0 ? sandboxUser : {},
  }
}

const argumentsFor = (python: string): ReadonlyArray<string> => [
  ...["--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv"],
  ...["--cap-drop", "ALL", "--hostname", "sandbox", "--uid", `${nobody}`, "--gid", `${nobody}`],
  ...[...readable.filter((path) => existsSync(path)), python].flatMap((path) => ["--ro-bind", path, path]),
  ...links.flatMap((path) => (existsSync(path) ? ["--symlink", `usr${path}`, path] : [])),
  // There is no /tmp either: the limits of a process do not count files in memory, and the size of a tmpfs does not
  // count empty files.
  ...["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/"],
  ...["--chdir", "/", "--seccomp", "4"],
  // One arena, since each reserves 64 MiB of a tool's memory.
  ...["--setenv", "MALLOC_ARENA_MAX", "1", "--setenv", "LC_ALL", "C.UTF-8"],
  ...[python, "-I", "-S", "-B", "-c", source],
]
