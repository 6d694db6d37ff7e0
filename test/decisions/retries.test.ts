/** Retries (decisions §2, Contact; I5): which outcomes lead to them, how many there are, and when they come. */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

const path = "/api/v1/campaigns"

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("retries (decisions §2)", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("outcomes decide: retried or not, completed or failed, never more than 1 + retries attempts (I5)", async (own, owner) => {
    const behaviour: ReadonlyArray<[digits: string, status: string, outcome: string, attempts: number]> = [
      ["01", "completed", "answered", 1],
      ["70", "failed", "busy", 3],
      ["75", "failed", "no_answer", 3],
      ["80", "failed", "voicemail", 3],
      ["85", "failed", "rejected", 1],
      ["88", "failed", "invalid_number", 1],
      ["90", "failed", "carrier_error", 3],
      ["93", "completed", "answered", 2],
    ]
    const { id } = await own.running(
      behaviour.flatMap(([digits]) => numbersOf(digits, 1)),
      { max_concurrent_calls: "8", retries_per_contact: "2", retry_delay_seconds: "1" },
    )
    const ended = await own.ended(id)
    assert.deepInclude(ended.counts, { total: 8, completed: 2, failed: 6, pending: 0, in_progress: 0, skipped: 0 })
    const contacts = await own.contacts(id)
    assert.deepStrictEqual(
      contacts.map(({ attempts, outcome, status }): ReadonlyArray<unknown> => [status, outcome, attempts]),
      behaviour.map(([, status, outcome, attempts]) => [status, outcome, attempts]),
    )
    for (const contact of contacts) {
      const { attempt_log } = made(await owner.get(`${path}/${id}/contacts/${contact.id}`))
      assert.deepStrictEqual(
        attempt_log.map(({ number }: { number: number }) => number),
        Array.from({ length: contact.attempts }, (_, at) => at + 1),
      )
      for (const [at, attempt] of attempt_log.entries()) {
        assert.strictEqual(attempt.decision!.attempt, at + 1)
        assert.strictEqual(attempt.decision!.rule, at === 0 ? "first_attempt" : "retry")
        const before = attempt_log[at - 1]
        if (before !== undefined) {
          assert.isAtLeast(Date.parse(attempt.started_at) - Date.parse(before.ended_at!), 1_000)
        }
      }
      assert.strictEqual(attempt_log.at(-1)!.call_id, contact.last_call_id)
    }
  })

  test("retries may depend on the outcome, within the campaign's own (decision 0080)", async (own, owner) => {
    const retry_by_outcome = { busy: { retries: 1, delay_seconds: 0 }, carrier_error: { retries: 0 } }
    const { id } = await own.running([...numbersOf("70", 1), ...numbersOf("90", 1), ...numbersOf("75", 1)], {
      max_concurrent_calls: "3",
      retries_per_contact: "3",
      retry_delay_seconds: "3600",
      retry_by_outcome: JSON.stringify(retry_by_outcome),
    })
    await own.until(id, ({ counts, waiting_for }) => waiting_for === "retry_delay" && counts.failed === 2)
    const contacts = await own.contacts(id)
    assert.deepStrictEqual(
      contacts.map(({ attempts, outcome, status }): ReadonlyArray<unknown> => [status, outcome, attempts]),
      [
        ["failed", "busy", 2],
        ["failed", "carrier_error", 1],
        ["pending", "no_answer", 1],
      ],
    )
    const campaign = made(await owner.get(`${path}/${id}`))
    assert.deepStrictEqual(campaign.retry_by_outcome, retry_by_outcome)
    const change = await owner.put(`${path}/${id}`, { retry_by_outcome: null })
    assert.deepInclude(change, { status: 409 })
    const busy = made(await owner.get(`${path}/${id}/contacts/${contacts[0]!.id}`))
    assert.deepStrictEqual(busy.attempt_log[1]?.decision?.["retry_by_outcome"], retry_by_outcome)
  })

  test("retries by outcome that say nothing, or name another outcome, are a 400 with its place", async (own) => {
    for (const [rules, pointer] of [
      [{ busy: {} }, "/retry_by_outcome/busy"],
      [{ rejected: { retries: 1 } }, "/retry_by_outcome/rejected"],
      [{ busy: { retries: 11 } }, "/retry_by_outcome/busy/retries"],
    ] as const) {
      const refused = await own.upload("phone_number\n+14155550101\n", { retry_by_outcome: JSON.stringify(rules) })
      assert.strictEqual(refused.status, 400)
      assert.deepInclude(refused.body.errors?.[0], { pointer })
    }
  })

  test("fewer retries, set while it runs, end the contacts that have had as many attempts (I5)", async (own, owner) => {
    const { id } = await own.running(numbersOf("70", 2), { retries_per_contact: "2", retry_delay_seconds: "3600" })
    await own.until(id, ({ counts, waiting_for }) => waiting_for === "retry_delay" && counts.in_progress === 0)
    assert.strictEqual(made(await owner.put(`${path}/${id}`, { retries_per_contact: 1 })).status, "running")
    const changed = made(await owner.put(`${path}/${id}`, { retries_per_contact: 0 }))
    assert.deepInclude(changed, { status: "completed", end_reason: "finished" })
    assert.deepInclude(changed.counts, { failed: 2, pending: 0 })
  })
})
