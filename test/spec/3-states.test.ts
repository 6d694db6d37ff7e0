/** States and transitions (spec §3), with the table of decisions §2. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CampaignStatus } from "../../src/domain/Campaign.ts"
import { wide } from "../support/Callers.ts"
import { type Campaigner, campaigner, numbersOf } from "../support/Campaigner.ts"
import { type Client, sideBySide, TestServer } from "../support/TestServer.ts"

const slow = { LAB_SPEED: "20" }

it.layer(TestServer.layerWith(slow), sideBySide)("states and transitions (spec §3)", (it) => {
  const test = (name: string, body: (own: Campaigner, owner: Client) => Promise<void>, settings: object = wide) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => {
          const owner = await server.ownerOf(`s${crypto.randomUUID().slice(0, 8)}`, settings)
          await body(await campaigner(owner), owner)
        }),
      ),
    )

  const in_ = {
    draft: (own: Campaigner) => own.draft(numbersOf("01", 3)),
    running: (own: Campaigner) => own.running(numbersOf("01", 30)),
    paused: async (own: Campaigner) =>
      (await own.operate((await own.running(numbersOf("01", 30, 2_000))).id, "pause")).body,
    completed: async (own: Campaigner) => (await own.operate((await own.draft(numbersOf("01", 3))).id, "stop")).body,
  }

  test("every operation answers with the campaign in the state that the table says, or a 409 that names the state", async (own) => {
    const table: ReadonlyArray<[keyof typeof in_, Parameters<Campaigner["operate"]>[1], CampaignStatus | 409]> = [
      ["draft", "start", "running"],
      ["draft", "pause", 409],
      ["draft", "resume", 409],
      ["draft", "stop", "completed"],
      ["running", "start", "running"],
      ["running", "pause", "paused"],
      ["running", "resume", "running"],
      ["running", "stop", "completed"],
      ["paused", "start", "running"],
      ["paused", "pause", "paused"],
      ["paused", "resume", "running"],
      ["paused", "stop", "completed"],
      ["completed", "start", 409],
      ["completed", "pause", 409],
      ["completed", "resume", 409],
      ["completed", "stop", "completed"],
    ]
    for (const [from, operation, expected] of table) {
      const campaign = await in_[from](own)
      assert.strictEqual(campaign.status, from)
      const answer = await own.operate(campaign.id!, operation)
      const cell = `${from} + ${operation}: ${JSON.stringify(answer.body)}`
      if (expected === 409) {
        assert.strictEqual(answer.status, 409, cell)
        assert.strictEqual(answer.body.code, "invalid_state", cell)
        assert.strictEqual(answer.body.state, from, cell)
        assert.include(answer.body.detail, from, cell)
      } else {
        assert.strictEqual(answer.status, 200, cell)
        assert.strictEqual(answer.body.status, expected, cell)
        assert.strictEqual(answer.body.id, campaign.id, cell)
      }
      await own.operate(campaign.id!, "stop")
    }
  })

  test("only drafts can be deleted, with their contacts", async (own, owner) => {
    for (const from of ["running", "paused", "completed"] as const) {
      const { id } = await in_[from](own)
      const refused = await owner.delete(`/api/v1/campaigns/${id}`)
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(refused.body!.code, "invalid_state")
      await own.operate(id!, "stop")
    }
    const { id } = await in_.draft(own)
    assert.strictEqual((await owner.delete(`/api/v1/campaigns/${id}`)).status, 204)
    assert.strictEqual((await owner.delete(`/api/v1/campaigns/${id}`)).status, 404)
    assert.strictEqual((await owner.get(`/api/v1/campaigns/${id}/contacts`)).status, 404)
    assert.strictEqual((await own.operate(id, "start")).status, 404)
  })

  test("a stop skips pending contacts at once, and calls in progress finish and are counted", async (own) => {
    const { id } = await own.running(numbersOf("01", 60), { max_concurrent_calls: "3" })
    await own.until(id, ({ counts }) => counts.in_progress === 3)
    const stopped = (await own.operate(id, "stop")).body
    assert.strictEqual(stopped.status, "completed")
    assert.strictEqual(stopped.end_reason, "stopped")
    assert.strictEqual(stopped.counts!.pending, 0)
    const inProgress = stopped.counts!.in_progress
    assert.isAbove(inProgress, 0)
    assert.strictEqual(stopped.counts!.skipped + stopped.counts!.completed + inProgress, 60)
    const settled = await own.until(id, ({ counts }) => counts.in_progress === 0)
    assert.strictEqual(settled.counts.skipped, stopped.counts!.skipped)
    assert.strictEqual(settled.counts.completed, stopped.counts!.completed + inProgress)
    const skipped = await own.contacts(id, "status=skipped")
    assert.isTrue(skipped.every((contact) => contact.skip_reason === "stopped" && contact.attempts === 0))
  })

  test("a pause stops dialling, and calls in progress finish", async (own) => {
    const { id } = await own.running(numbersOf("01", 10), { max_concurrent_calls: "2" })
    await own.until(id, ({ counts }) => counts.in_progress === 2)
    assert.strictEqual((await own.operate(id, "pause")).body.status, "paused")
    const paused = await own.until(id, ({ counts }) => counts.in_progress === 0)
    assert.strictEqual(paused.status, "paused")
    assert.isAbove(paused.counts.pending, 0)
    await own.operate(id, "resume")
    const ended = await own.ended(id)
    assert.deepInclude(ended.counts, { total: 10, completed: 10, pending: 0, in_progress: 0 })
    assert.strictEqual(ended.end_reason, "finished")
  })

  test(
    "a start or resume beyond the account's concurrent_max is a 409 that says by how much",
    async (own) => {
      const draft = () => own.draft(numbersOf("01", 60), { max_concurrent_calls: "6" })
      const [first, second] = [await draft(), await draft()]
      assert.strictEqual((await own.operate(first.id, "start")).status, 200)
      const refused = await own.operate(second.id, "start")
      assert.strictEqual(refused.status, 409)
      assert.deepInclude(refused.body, {
        code: "budget_exceeded",
        requested: 6,
        in_use: 6,
        concurrent_max: 10,
        detail: "Running campaigns use 6 of 10 concurrent calls; this campaign asks for 6.",
      })
      await own.operate(first.id, "pause")
      assert.strictEqual((await own.operate(second.id, "start")).status, 200)
      assert.strictEqual((await own.operate(first.id, "resume")).body.code, "budget_exceeded")
      await own.operate(second.id, "stop")
      assert.strictEqual((await own.operate(first.id, "resume")).status, 200)
      await own.operate(first.id, "stop")
    },
    { ...wide, concurrent_max: 10 },
  )

  test(
    "of starts that arrive together and do not all fit, only as many win as fit (I4)",
    async (own) => {
      const drafts = await Promise.all(
        Array.from({ length: 6 }, (_, at) => own.draft(numbersOf("01", 60, at * 100), { max_concurrent_calls: "4" })),
      )
      const answers = await Promise.all(drafts.map(({ id }) => own.operate(id, "start")))
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 2)
      assert.strictEqual(answers.filter(({ status }) => status === 409).length, 4)
      await Promise.all(drafts.map(({ id }) => own.operate(id, "stop")))
    },
    { ...wide, concurrent_max: 10 },
  )

  test("it is completed automatically when no contact is pending or in progress", async (own) => {
    const { id } = await own.running([...numbersOf("01", 2), ...numbersOf("70", 1), ...numbersOf("88", 1)])
    const ended = await own.ended(id)
    assert.deepInclude(ended, { status: "completed", end_reason: "finished", waiting_for: null })
    assert.deepInclude(ended.counts, { total: 4, completed: 2, failed: 2, skipped: 0 })
  })
})
