/** Calls that live beside each other: one a number, hanging up, and the caps of an account (decisions §2, §5; spec §7). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Caller, caller, wide } from "../support/Callers.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import type { Problem } from "../support/Contract.ts"
import { refused } from "../support/Problems.ts"
import { type Answer, type Client, sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const overCap = ({ body, headers, status }: Answer, code: string, limit: number) => {
  assert.strictEqual(status, 429, JSON.stringify(body))
  assert.include(body, { code, limit, used: limit })
  assert.isAbove(Date.parse((body as Problem).resets_at!), Date.parse(headers.get("date") ?? ""))
  assert.isAtLeast(Number(headers.get("retry-after")), 1)
  assert.include(headers.get("ratelimit") ?? "", code)
  assert.include(headers.get("ratelimit-policy") ?? "", `q=${limit}`)
}

/** In an account of its own, with these caps. */
const withCaps = (body: (lab: Caller, owner: Client) => Promise<void>, caps: object) =>
  Effect.flatMap(TestServer, (server) =>
    Effect.promise(async () => {
      const owner = await server.ownerOf(`caps-${crypto.randomUUID().slice(0, 8)}`, { ...wide, ...caps })
      await body(await caller(owner), owner)
    }),
  )

it.layer(TestServer.layerWith({ LAB_SPEED: "1", DRAIN_SECONDS: "0" }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("calls that live for as long as a test looks at them", (it) => {
  const test = (name: string, caps: object, body: (lab: Caller, owner: Client) => Promise<void>) =>
    it.effect(name, () => withCaps(body, caps))
  const ringing = (at: number) => `+1415555${2000 + at * 100 + 75}`

  test("a number that is in a call already is a 409", {}, async (lab, owner) => {
    const first = made(await lab.call("+14155551075"))
    refused(await lab.call("+14155551075"), 409, "invalid_state")
    made(await owner.post(`/api/v1/calls/${first.id}/hangup`))
    assert.strictEqual((await lab.call("+14155551075")).status, 201)
  })

  it.effect("the call of a withdrawn contact continues, and no attempt follows it (decision 0074)", () =>
    inAccountOfItsOwn(async (own, owner) => {
      const retries = { max_concurrent_calls: "2", retries_per_contact: "3", retry_delay_seconds: "0" }
      const { id } = await own.running([ringing(1), ringing(2)], retries)
      await own.until(id, ({ counts }) => counts.in_progress === 2)
      const [withdrawn, kept] = await own.contacts(id)
      const path = `/api/v1/campaigns/${id}/contacts/${withdrawn!.id}` as const
      assert.deepInclude(made(await owner.delete(path)), { status: "in_progress", skip_reason: null })
      for (const contact of [withdrawn, kept]) made(await owner.post(`/api/v1/calls/${contact!.last_call_id}/hangup`))
      const settled = await until(async () => {
        const [first, second] = await own.contacts(id)
        return first!.status !== "in_progress" && second!.attempts === 2 && first
      })
      const expected = { status: "skipped", skip_reason: "withdrawn", outcome: "no_answer", attempts: 1 } as const
      assert.deepInclude(settled, { ...expected, next_attempt_at: null })
      assert.strictEqual(made(await owner.delete(path)).withdrawn_at, settled.withdrawn_at)
      await own.operate(id, "stop")
    }),
  )

  test(
    "hanging up a ringing call fails it, an answered one completes it, an ended one is a 409",
    {},
    async (lab, owner) => {
      const ringing = made(await lab.call("+14155551076"))
      const failed = await owner.post(`/api/v1/calls/${ringing.id}/hangup`)
      assert.strictEqual(failed.status, 200, JSON.stringify(failed.body))
      assert.include(failed.body, {
        status: "failed",
        outcome: "no_answer",
        end_reason: "hung_up",
        answered_at: null,
      })

      const talking = made(await lab.call("+14155551065"))
      await until(async () => made(await owner.get(`/api/v1/calls/${talking.id}`)).status === "in_progress")
      const completed = await owner.post(`/api/v1/calls/${talking.id}/hangup`)
      assert.include(completed.body, { status: "completed", outcome: "answered", end_reason: "hung_up" })
      refused(await owner.post(`/api/v1/calls/${talking.id}/hangup`), 409, "invalid_state")
      refused(await owner.post(`/api/v1/calls/00000000-0000-4000-8000-000000000000/hangup`), 404, "not_found")
      refused(await owner.post(`/api/v1/calls/nonsense/hangup`), 404, "not_found")
      assert.strictEqual((await lab.call("+14155551076")).status, 201)
    },
  )

  test(
    "of ten calls placed at once, as many pass as the account may have, and no more",
    { concurrent_max: 3 },
    async (lab) => {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => lab.call(ringing(at))))
      const placed = answers.filter(({ status }) => status === 201)
      assert.strictEqual(placed.length, 3)
      for (const answer of answers) if (answer.status !== 201) overCap(answer, "concurrent_cap", 3)
    },
  )
})

it.layer(TestServer.layerWith({ LAB_SPEED: "20" }), sideBySide)("cost caps (spec §7; decisions §5)", (it) => {
  const test = (name: string, caps: object, body: (lab: Caller) => Promise<void>) =>
    it.effect(name, () => withCaps(body, caps))
  test("a slot comes back when its call ends, whatever the end", { concurrent_max: 1 }, async (lab) => {
    for (const digits of ["60", "70", "85", "88", "90", "80", "95", "98", "99"]) {
      const call = await lab.through(`+141555530${digits}`)
      assert.isNotNull(call.ended_at)
    }
    assert.strictEqual((await lab.call("+14155553160")).status, 201)
  })

  test("calls a minute slide: the cap holds also after the calls have ended", { calls_per_minute: 2 }, async (lab) => {
    const first = await lab.through("+14155553060")
    await lab.through("+14155553061")
    const answer = await lab.call("+14155553062")
    overCap(answer, "per_minute_cap", 2)
    const begun = Date.parse(first.started_at)
    assert.closeTo(Date.parse(answer.body.resets_at!) - begun, 60_000, 1_000)
  })

  // Kathmandu is 5:45 ahead of UTC, so its midnight is 18:15 there; shortly before it, Eucla, which is 8:45 ahead.
  const isNear = [17, 18].includes(new Date().getUTCHours())
  const time_zone = isNear ? "Australia/Eucla" : "Asia/Kathmandu"
  const midnight = isNear ? "15:15:00.000Z" : "18:15:00.000Z"
  test("calls a day last until midnight in the account's zone", { calls_per_day: 1, time_zone }, async (lab) => {
    await lab.through("+14155553060")
    const answer = await lab.call("+14155553061")
    overCap(answer, "daily_cap", 1)
    assert.strictEqual(new Date(answer.body.resets_at!).toISOString().slice(11), midnight)
  })
})
