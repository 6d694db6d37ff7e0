/** A folder for the data of a PostgreSQL that tests start: in memory if the machine has enough, otherwise on the disk. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * A file system in memory. A new account is some 530 files, which take 15 ms of a core here. On ext4 without a journal,
 * the kernel passes over each inode that was freed in the last minutes, and they take 80 to 400 ms.
 */
const memory = "/dev/shm"
/** What the databases of a run need at most, and the same again. In a container the file system often has 64 MB. */
const enough = 8 * 1024 ** 3

const isRoomy = (): boolean => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, process.availableMemory()) >= enough
}

/** Makes an empty folder that other users can pass. The caller deletes it, since it takes memory. */
export const folderInMemory = (prefix: string): string => {
  const folder = mkdtempSync(join(isRoomy() ? memory : tmpdir(), prefix))
  chmodSync(folder, 0o711)
  return folder
}

const ownerFile = "parley.pid"

/** Notes that the folder belongs to this process, as the embedded server does, so that `deleteAbandoned` finds it. */
export const noteOwner = (folder: string): void => writeFileSync(join(folder, ownerFile), String(process.pid))

/** What the file says, empty if there is none. */
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "")

/**
 * Deletes this user's folders with this prefix that a killed run has left, and ends their servers. A folder belongs to the
 * process in `parley.pid`; the pid of its server may be another program's by now. Root's servers run as another user.
 */
export const deleteAbandoned = (prefix: string): void => {
  const names = existsSync(memory) ? readdirSync(memory).filter((name) => name.startsWith(prefix)) : []
  for (const folder of names.map((name) => join(memory, name))) {
    const owner = textOf(join(folder, ownerFile))
    const isOurs = [0, statSync(folder).uid].includes(process.getuid?.() ?? -1)
    if (!isOurs || owner === "" || existsSync(`/proc/${owner}`)) continue
    const [server = ""] = textOf(join(folder, "postgres/postmaster.pid")).split("\n")
    if (textOf(`/proc/${server}/cmdline`).includes(folder)) process.kill(Number(server), "SIGQUIT")
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
