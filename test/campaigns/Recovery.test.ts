/** A process that is killed in the middle of a campaign, and the next one: nothing lost, nothing doubled (I5, I6, I13). */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { campaigner, numbersOf } from "../support/Campaigner.ts"
import { emptyFolder, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const settings = { concurrent_max: 20, calls_per_minute: 6_000 }

/** How often the lab itself was asked to dial each attempt. */
const invitesOf = (file: string): ReadonlyMap<string, number> => {
  const invites = new Map<string, number>()
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { attempt_id, event } = JSON.parse(line)
    if (event === "invite") invites.set(attempt_id, (invites.get(attempt_id) ?? 0) + 1)
  }
  return invites
}

describe("recovery", () => {
  it("after kill -9 a running campaign goes on, and a draft whose time came meanwhile starts", async () => {
    const folder = emptyFolder()
    const log = join(folder, "lab.jsonl")
    const env = { PARLEY_DATA_DIR: folder, LAB_LOG: log, LAB_SPEED: "20" }
    const first = start(env)
    const own = await campaigner(await speak(await first.ready).ownerOf("crash", settings))
    const { id } = await own.running([...numbersOf("01", 40), ...numbersOf("70", 5)], {
      max_concurrent_calls: "8",
      retries_per_contact: "1",
      retry_delay_seconds: "1",
    })
    const due = Date.now() + 6_000
    const scheduled = await own.draft(numbersOf("02", 2), { scheduled_at: new Date(due).toISOString() })
    await own.until(id, ({ counts }) => counts.completed >= 5)
    first.child.kill("SIGKILL")
    await first.ended
    await until(() => Date.now() > due)

    const second = start(env)
    const again = await campaigner(await speak(await second.ready).ownerOf("crash", settings))
    const ended = await again.ended(id)
    const { completed, failed, in_progress, pending, skipped, total } = ended.counts
    assert.strictEqual(ended.end_reason, "finished")
    assert.deepStrictEqual([total, pending, in_progress, skipped], [45, 0, 0, 0])
    assert.strictEqual(completed + failed, 45)

    const contacts = await again.contacts(id)
    assert.isTrue(contacts.every(({ attempts }) => attempts <= 2))
    const unknown = contacts.filter(({ outcome }) => outcome === "unknown")
    assert.isTrue(unknown.every(({ attempts, status }) => status === "failed" && attempts <= 2))
    const late = await again.ended(scheduled.id)
    assert.isAtLeast(Date.parse(late.started_at!), due)

    for (const [attempt, count] of invitesOf(log)) assert.strictEqual(count, 1, attempt)
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
  }, 240_000)
})
