/** Several processes on one database: each campaign is dialled by one that lives, whatever happens to the others. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { follow, numbersOf } from "../support/Campaigner.ts"
import { doubled, type Fleet, fleet, inviteAfter, type Member } from "../support/Fleet.ts"
import { until } from "../support/Until.ts"

/** What the machine may be late by when everything else runs on it too. */
const slackMs = 3_000

const open: Array<Fleet> = []
const newFleet = (env: Record<string, string> = {}) => {
  const made = fleet(env)
  open.push(made)
  return made
}
afterEach(() => Promise.all(open.splice(0).map((fleet) => fleet.stop())))

/** Two processes, and a campaign that one of them dials, all of its slots in use. */
const dialling = async (numbers: ReadonlyArray<string>, env?: Record<string, string>) => {
  const all = newFleet(env)
  const [a, b] = await Promise.all([all.join(), all.join()])
  const own = await a.own()
  const { id } = await own.running(numbers, { max_concurrent_calls: "8" })
  await until(() => all.invites().length >= 12)
  const [dialler, other]: readonly [Member, Member] = a.invites().length > 0 ? [a, b] : [b, a]
  assert.strictEqual(other.invites().length, 0)
  return { all, dialler, other, id }
}

describe("placement", () => {
  it("what a killed process dialled and had to start another does, and so does the only one when it is started again", async () => {
    const { all, dialler, id, other } = await dialling(numbersOf("01", 200))
    const scheduled_at = new Date(Date.now() + 8_000)
    const draft = await (
      await dialler.own()
    ).draft(numbersOf("02", 3, 9_000), { scheduled_at: scheduled_at.toISOString(), max_concurrent_calls: "1" })

    const killed = Date.now()
    dialler.child.kill("SIGKILL")
    const next = await inviteAfter(other, killed)
    assert.isAtMost(next.at - killed, 5_000 + slackMs)

    const { started_at } = await (await other.own()).until(draft["id"], (campaign) => campaign.started_at !== null)
    const late = Date.parse(started_at) - scheduled_at.getTime()
    assert.isAtLeast(late, 0)
    assert.isAtMost(late, 1_000 + slackMs)

    other.child.kill("SIGKILL")
    await other.ended
    const third = await all.join()
    const ready = Date.now()
    assert.isAtMost((await inviteAfter(third, 0)).at - ready, 5_000 + slackMs)
    const { counts, end_reason } = await (await third.own()).ended(id)
    assert.strictEqual(end_reason, "finished")
    assert.deepStrictEqual([counts.total, counts.completed + counts.failed], [200, 200])
    await (await third.own()).ended(draft["id"])
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 180_000)

  it("on SIGTERM another dials on at once; a rolling restart ends no call and loses and doubles none", async () => {
    const { all, dialler, id, other } = await dialling(numbersOf("01", 150), { DRAIN_SECONDS: "30" })
    const told = Date.now()
    dialler.child.kill("SIGTERM")
    const next = await inviteAfter(other, told)
    assert.isAtMost(next.at - told, 1_000 + slackMs)
    const last = dialler.invites().length
    assert.strictEqual(await dialler.ended, 0)
    assert.strictEqual(dialler.invites().length, last)
    const third = await all.join()
    other.child.kill("SIGTERM")
    await inviteAfter(third, Date.now())
    assert.strictEqual(await other.ended, 0)
    const { counts } = await (await third.own()).ended(id)
    assert.deepInclude(counts, { total: 150, completed: 150, failed: 0 })
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 120_000)

  it("a process that stood still and comes back dials nobody whom it lost", async () => {
    const { all, dialler, id, other } = await dialling(numbersOf("01", 80))
    const stopped = Date.now()
    dialler.child.kill("SIGSTOP")
    await inviteAfter(other, stopped)
    const before = dialler.invites().length
    // Until its calls, too, are taken for lost.
    await until(async () => (await (await other.own()).contacts(id, "outcome=unknown")).length > 0)
    dialler.child.kill("SIGCONT")
    const { counts } = await (await other.own()).ended(id)
    assert.strictEqual(counts.completed + counts.failed, 80)
    assert.strictEqual(dialler.invites().length, before)
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 180_000)

  it("starts spread over the processes; each operates and shows what another dials, also when notices are lost", async () => {
    const all = newFleet()
    const [a, b] = await Promise.all([all.join(), all.join()])
    const [throughA, throughB] = [await a.own(), await b.own()]
    const ids = new Map<string, ReadonlyArray<string>>()
    for (const part of [1, 2, 3, 4]) {
      const numbers = numbersOf("01", 90, part * 1_000)
      const { id } = await throughA.running(numbers, { max_concurrent_calls: "4" })
      ids.set(id, numbers)
    }
    const diallersOf = (numbers: ReadonlyArray<string>) =>
      [a, b].filter((member) => member.invites().some(({ number }) => numbers.includes(number)))
    await until(() => [...ids.values()].every((numbers) => diallersOf(numbers).length === 1))
    const ofB = [...ids].filter(([, numbers]) => diallersOf(numbers)[0] === b)
    assert.strictEqual(ofB.length, 2)

    const [id = "", numbers = []] = ofB[0] ?? []
    const stream = await follow(a.url, throughA.client, id)
    await stream.next(({ data }) => data?.["active_calls"] === 4)
    const invited = () => all.invites().filter(({ number }) => numbers.includes(number)).length
    assert.strictEqual((await throughA.operate(id, "pause")).status, 200)
    // What was intended before is still dialled; then calls of four slots have ended and freed them.
    await throughA.until(id, ({ counts }) => counts.in_progress === 0)
    const paused = invited()
    await until(() => a.invites().length > 40)
    assert.strictEqual(invited(), paused)
    await stream.next(({ data }) => data?.["status"] === "paused")
    await all.cutOff()
    // Whoever was given a connection that is cut is told to come again.
    await until(async () => (await throughA.operate(id, "resume")).status === 200)
    await until(() => invited() > paused)
    await until(async () => (await throughA.operate(id, "stop")).status === 200)
    const stopped = invited()
    await stream.next(({ event }) => event === "end")
    const ended = await throughB.until(id, ({ counts }) => counts.in_progress === 0)
    assert.deepStrictEqual([ended["status"], ended["end_reason"]], ["completed", "stopped"])
    assert.isAtMost(invited(), stopped + 4)
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 120_000)
})
