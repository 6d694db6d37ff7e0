/** As whom the embedded server runs: PostgreSQL refuses root, and root's own folders are often closed to everybody else. */
import { chownSync, statSync } from "node:fs"
import { dirname } from "node:path"

/** How a program of the server is started, and whose its files are. */
export interface ServerUser {
  readonly command: (file: string, args: ReadonlyArray<string>) => readonly [file: string, args: Array<string>]
  readonly credentials: { readonly uid?: number; readonly gid?: number }
  /** Hands over what was just made for the server. */
  readonly own: (paths: ReadonlyArray<string>) => void
}

const nobody = 65534

const asIs: ServerUser["command"] = (file, args) => [file, [...args]]

const self: ServerUser = { command: asIs, credentials: {}, own: () => {} }

const asNobody: ServerUser = {
  command: asIs,
  credentials: { uid: nobody, gid: nobody },
  own: (paths) => paths.forEach((path) => chownSync(path, nobody, nobody)),
}

/** Root outside, another user in a namespace of its own: it reads what root may read, and PostgreSQL sees no root. */
const asNobodyInside: ServerUser = {
  command: (file, args) => [
    "unshare",
    ["--user", `--map-user=${nobody}`, `--map-group=${nobody}`, "--", file, ...args],
  ],
  credentials: {},
  own: () => {},
}

/** `folders` are those that the server has to reach: its programs and its data. */
export const serverUser = (folders: ReadonlyArray<string>): ServerUser => {
  if (process.getuid?.() !== 0) return self
  return folders.every(isOpenToAll) ? asNobody : asNobodyInside
}

/** A checkout in root's home is not: others may not even pass `/root`. */
export const isOpenToAll = (folder: string): boolean => {
  const parent = dirname(folder)
  return parent === folder || ((statSync(parent).mode & 0o001) !== 0 && isOpenToAll(parent))
}
