/** The lab's log in a test's own process: what happened on its calls, independent of any database. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** `file` is the value for `LAB_LOG`. */
export const labLog = () => {
  const file = join(mkdtempSync(join(tmpdir(), "parley-lab-")), "lab.jsonl")
  const callsWith = (name: string): ReadonlyArray<string> => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
    const events = lines
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { event: string; attempt_id: string })
    return events.flatMap(({ attempt_id, event }) => (event === name ? [attempt_id] : []))
  }
  return {
    file,
    /** The ids of the calls that have been dialled so far. */
    dialled: () => callsWith("invite"),
    /** The ids of the calls that have ended so far. */
    ended: () => callsWith("end"),
  }
}
