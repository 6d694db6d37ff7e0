/** One campaign over several processes, whatever happens to them: its calls run in all of them, none is lost or doubled. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { follow, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { doubled, type Fleet, fleet, inviteAfter, type Member } from "../support/Fleet.ts"
import { until } from "../support/Until.ts"

const open: Array<Fleet> = []
afterEach(() => Promise.all(open.splice(0).map((fleet) => fleet.stop())))

/** Three processes that carry four calls each, and a campaign that wants more. */
const spread = async (numbers: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const all = fleet({ PARLEY_CALLS_PER_PROCESS: "4", ...env })
  open.push(all)
  const members = [await all.join(), await all.join(), await all.join()] as const
  const own = await members[0].own()
  const { id } = await own.running(numbers, { max_concurrent_calls: "20" })
  await until(() => members.every((member) => member.invites().length >= 4))
  return { all, members, own, id }
}

/** The process that dials the campaign writes it. */
const full = "every process is full (PARLEY_CALLS_PER_PROCESS): campaigns wait until calls have ended"
const diallerOf = (members: ReadonlyArray<Member>) =>
  until(() => members.find((member) => member.said().includes(full)))

interface Live {
  readonly id: string
  readonly node_id: string
}

const live = async (all: Fleet) =>
  (await all.query(
    "fleet",
    "select c.id, c.node_id from live_calls l join calls c on c.id = l.call_id order by c.started_at",
  )) as unknown as ReadonlyArray<Live>

const byNode = (calls: ReadonlyArray<Live>) => [...Map.groupBy(calls, ({ node_id }) => node_id).values()]

describe("the calls of one campaign", () => {
  it("run in all processes; when all are full, the campaign waits and the log says so", async () => {
    const { all, id, members, own } = await spread(numbersOf("10", 40), { LAB_SPEED: "1" })
    await diallerOf(members)
    const calls = await until(async () => {
      const calls = await live(all)
      return calls.length === 12 && calls
    })
    assert.deepStrictEqual(
      byNode(calls).map((calls) => calls.length),
      [4, 4, 4],
    )
    const { status, waiting_for } = await own.get(id)
    assert.deepStrictEqual([status, waiting_for], ["running", null])
    const metrics = await (await fetch(`${members[1].url}/metrics`)).text()
    assert.match(metrics, /^parley_calls_max 4$/m)

    // A stream of any process shows all of them, and a client of any process ends one of each.
    const stream = await follow(members[2].url, (await members[2].own()).client, id)
    await stream.next(({ data }) => data?.active_calls === 12)
    const { client } = await members[1].own()
    const some = byNode(calls).flatMap(([first]) => first ?? [])
    for (const call of some) {
      await until(async () => made(await client.get(`/api/v1/calls/${call.id}`)).transcript.length > 0)
    }
    for (const call of some) {
      const ended = made(await client.post(`/api/v1/calls/${call.id}/hangup`))
      assert.deepStrictEqual([ended.status, ended.end_reason], ["completed", "hung_up"])
    }
    // Others begin in their places.
    await until(async () => {
      const now = await live(all)
      return now.length === 12 && !now.some(({ id }) => some.some((call) => call.id === id))
    })
    assert.deepStrictEqual(doubled(all.invites()), [])
    assert.strictEqual((await own.operate(id, "stop")).status, 200)
    await stream.next(({ event }) => event === "end")
  }, 300_000)

  it("are all made, each once, while processes are killed, stopped, drained, and disconnected", async () => {
    const { all, id, members } = await spread(numbersOf("01", 400))
    const dialler = await diallerOf(members)
    const [killed, frozen] = members.filter((member) => member !== dialler)
    if (killed === undefined || frozen === undefined) throw new Error("No other process is there")

    killed.child.kill("SIGKILL")
    await inviteAfter(frozen, Date.now())
    frozen.child.kill("SIGSTOP")
    const own = await dialler.own()
    // Until its calls, too, are taken for lost.
    await until(async () => (await own.contacts(id, "outcome=unknown")).length > 0)
    frozen.child.kill("SIGCONT")
    await inviteAfter(frozen, Date.now())
    await all.cutOff()
    const joined = await all.join()
    await inviteAfter(joined, Date.now())

    dialler.child.kill("SIGTERM")
    assert.strictEqual(await dialler.ended, 0)
    const through = await joined.own()
    const { counts, end_reason } = await through.ended(id)
    assert.strictEqual(end_reason, "finished")
    assert.strictEqual(counts.completed + counts.failed, 400)
    assert.deepStrictEqual(doubled(all.invites()), [])
    assert.deepStrictEqual(await all.query("fleet", "select from call_offers"), [])
  }, 600_000)

  it("are made once each when the process that dials is killed again and again", async () => {
    const { all, id, members } = await spread(numbersOf("01", 300))
    const alive = new Set<Member>(members)
    for (let kills = 0; kills < 2; kills++) {
      const dialler = await diallerOf([...alive])
      dialler.child.kill("SIGKILL")
      alive.delete(dialler)
      const joined = await all.join()
      alive.add(joined)
      await inviteAfter(joined, Date.now())
    }
    const [through] = alive
    if (through === undefined) throw new Error("No process is there")
    const { counts } = await (await through.own()).ended(id)
    assert.strictEqual(counts.completed + counts.failed, 300)
    assert.deepStrictEqual(doubled(all.invites()), [])
  }, 600_000)
})
