/** A folder for the data of a PostgreSQL that tests start: in memory if the machine has enough, otherwise on the disk. */
import { chmodSync, existsSync, mkdtempSync, statfsSync } from "node:fs"
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

/** Makes an empty folder that other users can pass. Whoever made it deletes it, since it takes memory. */
export const folderInMemory = (prefix: string): string => {
  const folder = mkdtempSync(join(isRoomy() ? memory : tmpdir(), prefix))
  chmodSync(folder, 0o711)
  return folder
}
