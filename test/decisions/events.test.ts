import { assert, it } from "@effect/vitest"
import type { Event } from "../../src/domain/Event.ts"
import { made } from "../support/Fixtures.ts"
import { busy, options, reachesLoopbackSlowly, talks, test, webhook } from "../support/Webhooks.ts"

type CampaignInEvent = Extract<(typeof Event.Encoded)["data"], { readonly previous_status: string }>

it.layer(reachesLoopbackSlowly, options)("the log of events (decisions §1)", (it) => {
  it.effect("a campaign tells its start, pause, resumption and end, each contact, and its counts", () =>
    test(async ({ caller, endpoint, owner }) => {
      await webhook(owner, endpoint.at("/a"))
      const form = new FormData()
      for (const [name, value] of Object.entries({
        name: "c",
        agent_id: caller.agent.id,
        phone_number_id: caller.number.id,
        max_concurrent_calls: "2",
      })) {
        form.append(name, value)
      }
      form.append("contacts", new Blob([`phone_number,first_name\n${talks},Ada\n${busy},Grace\n`]), "c.csv")
      const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body: form }))
      const operate = async (operation: string) => made(await owner.post(`/api/v1/campaigns/${id}/${operation}`))
      await operate("start")
      await operate("pause")
      await operate("resume")
      const ofType = (type: string) => endpoint.until("/a", 1, ({ event }) => event.type === type)
      const [ended] = await ofType("campaign.completed")
      assert.deepInclude(ended?.event.data, { id, status: "completed", end_reason: "finished", name: "c" })
      assert.deepInclude((ended!.event.data as CampaignInEvent).counts, {
        total: 2,
        pending: 0,
        in_progress: 0,
        completed: 1,
        failed: 1,
      })
      const starts = await endpoint.until("/a", 2, ({ event }) => event.type === "campaign.started")
      const previous = starts.map(({ event }) => (event.data as CampaignInEvent).previous_status)
      assert.sameMembers(previous, ["draft", "paused"])
      await ofType("campaign.paused")
      const [completed] = await ofType("contact.completed")
      assert.deepInclude(completed?.event.data, {
        campaign_id: id,
        phone_number: talks,
        status: "completed",
        outcome: "answered",
        attempts: 1,
        custom_fields: { first_name: "Ada" },
      })
      const [failed] = await ofType("contact.failed")
      assert.deepInclude(failed?.event.data, { phone_number: busy, status: "failed", outcome: "busy" })

      const log = made(await owner.get("/api/v1/events")).items
      assert.deepStrictEqual(
        log.map(({ seq }) => seq),
        log.map((_, at) => at + 1),
      )
      assert.strictEqual(log.at(-1)?.type, "campaign.completed")
      const some = made(await owner.get("/api/v1/events?type=call.ended&limit=1"))
      assert.deepStrictEqual([some.items.length, some.has_more], [1, true])
      const rest = made(await owner.get(`/api/v1/events?type=call.ended&after=${some.next_after}`))
      assert.deepStrictEqual([rest.items.length, rest.next_after, rest.has_more], [1, log.length, false])
    }),
  )

  it.effect("an after beyond the last event is a 400", () =>
    test(async ({ owner }) => {
      const refused = await owner.get("/api/v1/events?after=5")
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.body.errors![0]!.pointer, "/query/after")
      for (const query of ["after=-1", "after=x", "limit=0", "limit=1001", "type=call"]) {
        assert.strictEqual((await owner.get(`/api/v1/events?${query}`)).status, 400, query)
      }
    }),
  )
})
