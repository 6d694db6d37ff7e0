/**
 * The user that the embedded server runs as: PostgreSQL refuses root, and root's own folders are often closed to every
 * other user.
 */
import { execFileSync } from "node:child_process"
import { statSync } from "node:fs"
import { dirname } from "node:path"

/** How to start a program of the server, and who owns its files. */
export interface ServerUser {
  readonly command: (file: string, args: ReadonlyArray<string>) => readonly [file: string, args: Array<string>]
  readonly credentials: { readonly uid?: number; readonly gid?: number }
  /** Makes the server the owner of these files and folders, and of what is in them. */
  readonly own: (paths: ReadonlyArray<string>) => void
}

/**
 * The user nobody: initdb refuses an id without a name on the machine. Tools of accounts never run as this user
 * (Worker.ts of the sandbox).
 */
const server = 65_534

const self: ServerUser = { command: (file, args) => [file, [...args]], credentials: {}, own: () => {} }

const own: ServerUser["own"] = (paths) => {
  const others = paths.filter((path) => statSync(path).uid !== server)
  if (others.length > 0) execFileSync("chown", ["-R", `${server}:${server}`, ...others])
}

const withRightsOfItsOwn: ServerUser = { ...self, credentials: { uid: server, gid: server }, own }

/**
 * Passes folders that are closed to other users, such as `/root`, with the one capability that allows it. A user
 * namespace would work too, but containers do not allow one by default.
 */
const passingClosedFolders: ServerUser = {
  command: (file, args) => [
    "setpriv",
    [
      ...[`--reuid=${server}`, `--regid=${server}`, "--clear-groups"],
      ...["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--", file, ...args],
    ],
  ],
  credentials: {},
  own,
}

/** `folders` are those that the server has to reach: its programs and its data. */
export const serverUser = (folders: ReadonlyArray<string>): ServerUser => {
  if (process.getuid?.() !== 0) return self
  return folders.every(isOpenToAll) ? withRightsOfItsOwn : passingClosedFolders
}

/** Whether other users may reach the folder. A checkout in root's home is closed: others may not even pass `/root`. */
export const isOpenToAll = (folder: string): boolean => {
  const parent = dirname(folder)
  return parent === folder || ((statSync(parent).mode & 0o001) !== 0 && isOpenToAll(parent))
}
