/** Faults that hit all processes at once: PostgreSQL does not answer for a minute, or all of them are killed. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { type Campaigner, numbersOf } from "../support/Campaigner.ts"
import { isFull } from "../support/Dose.ts"
import { doubled, type Fleet, fleet, inviteAfter, type Member } from "../support/Fleet.ts"
import { until } from "../support/Until.ts"
import { type Wire, wireTo } from "../support/Wire.ts"

let all: Fleet | undefined
let wire: Wire | undefined
afterEach(async () => {
  await all?.stop()
  await wire?.stop()
})

/** Two processes with a campaign in progress. */
const dialling = async (own: Fleet) => {
  all = own
  const members = await Promise.all([own.join(), own.join()])
  const { id } = await (await members[0].own()).running(numbersOf("01", 200), { max_concurrent_calls: "8" })
  await until(() => own.invites().length >= 20)
  return { id, members }
}

/** Waits for the end of the campaign, whose contacts were all dialled, each once. */
const finishes = async (through: Campaigner, id: string) => {
  const { counts, end_reason } = await through.ended(id)
  assert.strictEqual(end_reason, "finished")
  assert.deepStrictEqual([counts.total, counts.completed + counts.failed], [200, 200])
  assert.deepStrictEqual(doubled(all!.invites()), [])
}

const statusOf = async (member: Member, path: string) => (await fetch(member.url + path)).status

// Two minutes of waiting, and a minute of processor time.
describe.skipIf(!isFull)("a cluster", () => {
  // Longer than every lease, of which the longest is 15 s. They count the database's time, which no test can move.
  it("goes on dialling after PostgreSQL was down for a minute, and dials no contact twice", async () => {
    wire = await wireTo(inject("postgres"))
    const { id, members } = await dialling(fleet({}, wire))
    const own = await members[1].own()
    wire.refuse(true)
    wire.cut()
    const since = performance.now()
    await until(async () => (await statusOf(members[0], "/readyz")) === 503)
    const last = all!.invites().length
    await until(() => performance.now() - since > 60_000)
    assert.deepStrictEqual([await statusOf(members[0], "/healthz"), await statusOf(members[1], "/healthz")], [200, 200])
    // No intent was committed meanwhile, so no contact was dialled.
    assert.strictEqual(all!.invites().length, last)
    wire.refuse(false)
    await until(async () => (await own.client.get(`/api/v1/campaigns/${id}`)).status === 200)
    await finishes(own, id)
  }, 600_000)

  it("goes on dialling when its processes, all killed at once, are started again", async () => {
    const { id, members } = await dialling(fleet())
    const killed = Date.now()
    for (const { child } of members) child.kill("SIGKILL")
    await Promise.all(members.map(({ ended }) => ended))
    const again = await Promise.all([all!.join(), all!.join()])
    await Promise.race(again.map((member) => inviteAfter(member, killed)))
    await finishes(await again[0].own(), id)
  }, 600_000)
})
