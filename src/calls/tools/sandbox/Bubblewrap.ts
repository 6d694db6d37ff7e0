/**
 * The walls of the sandbox: how bubblewrap is started for a python that can reach nothing. No network, no environment,
 * no files but a python that can be read, no place to write, no other process, no user namespace of its own.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"

const worker = readFileSync(new URL("worker.py", import.meta.url), "utf8")

const nobody = 65534

/** What python needs of the system, where the system has it. */
const readable = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/nix/store", "/etc/ld.so.cache"]
/** Old names of the folders above. */
const links = ["/lib", "/lib64"]

/** Descriptors of the process: 3 takes the result, 4 gives bubblewrap the filter of system calls. */
export const filterDescriptor = 4

export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  /** As root a limit on processes counts for nothing, so it is nobody who starts. */
  readonly credentials: { readonly uid?: number; readonly gid?: number }
}

/** The programs are looked for when the sandbox is made; a sentence says which is missing. */
export const command = (path: string, python: string): Command | string => {
  if (process.platform !== "linux") return "bubblewrap exists on Linux alone"
  const file = path
    .split(delimiter)
    .map((folder) => join(folder, "bwrap"))
    .find((candidate) => existsSync(candidate))
  if (file === undefined) return "bubblewrap (bwrap) is not installed"
  if (!existsSync(python)) return `there is no python at ${python}`
  return {
    file,
    args: argumentsFor(realpathSync(python)),
    credentials: process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {},
  }
}

const argumentsFor = (python: string): ReadonlyArray<string> => [
  ...["--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv"],
  ...["--cap-drop", "ALL", "--hostname", "sandbox", "--uid", `${nobody}`, "--gid", `${nobody}`],
  ...[...readable.filter((path) => existsSync(path)), python].flatMap((path) => ["--ro-bind", path, path]),
  ...links.flatMap((path) => (existsSync(path) ? ["--symlink", `usr${path}`, path] : [])),
  // Not even a /tmp: files in memory are counted by no limit of a process, and empty ones by no size of a tmpfs.
  ...["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/"],
  ...["--chdir", "/", "--seccomp", `${filterDescriptor}`],
  // One arena, since each reserves 64 MiB of what a tool may have.
  ...["--setenv", "MALLOC_ARENA_MAX", "1", "--setenv", "LC_ALL", "C.UTF-8"],
  ...[python, "-I", "-S", "-B", "-c", worker],
]
