/** Several processes on one database: each campaign is dialled by one that lives, whatever happens to the others. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { follow, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { doubled, type Fleet, fleet, type Invite, inviteAfter, type Member } from "../support/Fleet.ts"
import { until } from "../support/Until.ts"

const open: Array<Fleet> = []
const newFleet = (env: Record<string, string> = {}) => {
  const made = fleet(env)
  open.push(made)
  return made
}
afterEach(() => Promise.all(open.splice(0).map((fleet) => fleet.stop())))

/** Processes, and a campaign that one of them dials, all of its slots in use. */
const dialling = async (processes: number, numbers: ReadonlyArray<string>, env?: Record<string, string>) => {
  const all = newFleet(env)
  const members = await Promise.all(Array.from({ length: processes }, all.join))
  const [first] = members
  if (first === undefined) throw new Error("No process is there")
  const own = await first.own()
  const { id } = await own.running(numbers, { max_concurrent_calls: "8" })
  await until(() => all.invites().length >= 12)
  return { all, id, ...apart(members, all.invites().at(-1)) }
}

/** The process that dialled the invite, and the others. */
const apart = (members: ReadonlyArray<Member>, invite: Invite | undefined) => {
  const dialler = members.find((member) => member.invites().some(({ attempt }) => attempt === invite?.attempt))
  if (dialler === undefined) throw new Error("No process dials")
  return { dialler, others: members.filter((member) => member !== dialler) }
}

const firstInvite = async (members: ReadonlyArray<Member>, after: number) => {
  const invite = await Promise.race(members.map((member) => inviteAfter(member, after)))
  return { invite, ...apart(members, invite) }
}

/** What is left of it goes through at once, however much that is. */
const hurry = async (through: Member, id: string) => {
  const { client } = await through.own()
  made(await client.put(`/api/v1/campaigns/${id}`, { max_concurrent_calls: 50 }))
}

// How soon is measured (docs/benchmarks.md); here a machine may stand still for ten seconds between any two lines.
describe("placement", () => {
  it("another process takes over the campaigns and scheduled starts of a killed one, and so does a single process after a restart", async () => {
    const { all, dialler, id, others } = await dialling(2, numbersOf("01", 300))
    const scheduled_at = new Date(Date.now() + 8_000)
    const draft = await (
      await dialler.own()
    ).draft(numbersOf("02", 3, 9_000), { scheduled_at: scheduled_at.toISOString(), max_concurrent_calls: "1" })

    const killed = Date.now()
    dialler.child.kill("SIGKILL")
    const { dialler: other } = await firstInvite(others, killed)

    const { started_at } = await (await other.own()).until(draft.id, (campaign) => campaign.started_at !== null)
    assert.isAtLeast(Date.parse(started_at!), scheduled_at.getTime())

    other.child.kill("SIGKILL")
    await other.ended
    const third = await all.join()
    await inviteAfter(third, 0)
    await hurry(third, id)
    const { counts, end_reason } = await (await third.own()).ended(id)
    assert.strictEqual(end_reason, "finished")
    assert.deepStrictEqual([counts.total, counts.completed + counts.failed], [300, 300])
    await (await third.own()).ended(draft.id)
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 600_000)

  it("on SIGTERM another process goes on dialling; a rolling restart cuts off, loses and doubles no call", async () => {
    const { all, dialler, id, others } = await dialling(3, numbersOf("01", 300), { DRAIN_SECONDS: "30" })
    const told = Date.now()
    dialler.child.kill("SIGTERM")
    const { dialler: second, others: rest } = await firstInvite(others, told)
    const last = dialler.invites().length
    assert.strictEqual(await dialler.ended, 0)
    assert.strictEqual(dialler.invites().length, last)
    const again = Date.now()
    second.child.kill("SIGTERM")
    const { dialler: third } = await firstInvite(rest, again)
    assert.strictEqual(await second.ended, 0)
    await hurry(third, id)
    const { counts } = await (await third.own()).ended(id)
    assert.deepInclude(counts, { total: 300, completed: 300, failed: 0 })
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 600_000)

  it("a process that was stopped for a while dials no contact of a campaign that it lost", async () => {
    const { all, dialler, id, others } = await dialling(2, numbersOf("01", 160))
    const stopped = Date.now()
    dialler.child.kill("SIGSTOP")
    const { dialler: other } = await firstInvite(others, stopped)
    // Until its calls, too, are taken for lost.
    const own = await other.own()
    await until(async () => (await own.contacts(id, "outcome=unknown")).length > 0)
    const back = Date.now()
    dialler.child.kill("SIGCONT")
    const { counts } = await own.ended(id)
    assert.strictEqual(counts.completed + counts.failed, 160)
    const lost = (await own.contacts(id, "outcome=unknown")).map((contact) => contact.phone_number)
    assert.isNotEmpty(lost)
    assert.deepStrictEqual(
      dialler.invites().filter(({ at, number }) => at >= back && lost.includes(number)),
      [],
    )
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 600_000)

  it("campaigns spread over the processes; each can operate and show a campaign that another dials, even if notices are lost", async () => {
    const all = newFleet()
    const [a, b] = await Promise.all([all.join(), all.join()])
    const [throughA, throughB] = [await a.own(), await b.own()]
    const ids = new Map<string, ReadonlyArray<string>>()
    const diallerOf = (numbers: ReadonlyArray<string>) =>
      [a, b].find((member) => member.invites().some(({ number }) => numbers.includes(number)))
    const diallers = () => [...ids.values()].map(diallerOf)
    const dialledBy = (member: Member) => diallers().filter((dialler) => dialler === member).length
    // Two for each; where one that has stood still was passed over, its turn comes with the next.
    while (ids.size < 4 || (Math.min(dialledBy(a), dialledBy(b)) < 2 && ids.size < 10)) {
      const numbers = numbersOf("01", 150, ids.size * 1_000)
      const { id } = await throughA.running(numbers, { max_concurrent_calls: "4" })
      ids.set(id, numbers)
      if (ids.size >= 4) await until(() => diallers().every((dialler) => dialler !== undefined))
    }
    assert.isAtLeast(Math.min(dialledBy(a), dialledBy(b)), 2)

    const [id = "", numbers = []] = [...ids].findLast(([, numbers]) => diallerOf(numbers) === b) ?? []
    const stream = await follow(a.url, throughA.client, id)
    await stream.next(({ data }) => (data?.active_calls ?? 0) > 0)
    const invited = () => all.invites().filter(({ number }) => numbers.includes(number)).length
    assert.strictEqual((await throughA.operate(id, "pause")).status, 200)
    // What was intended before is still dialled; then calls of four slots have ended and freed them.
    await throughA.until(id, ({ counts }) => counts.in_progress === 0)
    const [paused, others] = [invited(), all.invites().length]
    await until(() => all.invites().length > others + 20)
    assert.strictEqual(invited(), paused)
    await stream.next(({ data }) => data?.status === "paused")
    await all.cutOff()
    // A client whose request lost its connection is told to retry.
    await until(async () => (await throughA.operate(id, "resume")).status === 200)
    await until(() => invited() > paused)
    await until(async () => (await throughA.operate(id, "stop")).status === 200)
    const stopped = invited()
    await stream.next(({ event }) => event === "end")
    const ended = await throughB.until(id, ({ counts }) => counts.in_progress === 0)
    assert.deepStrictEqual([ended.status, ended.end_reason], ["completed", "stopped"])
    assert.isAtMost(invited(), stopped + 4)
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 600_000)
})
