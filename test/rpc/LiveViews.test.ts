/** Views of the console's pages: whatever happens meanwhile, the figures of one item are of one moment and add up (I15). */
import { assert, it } from "@effect/vitest"
import type { AccountView, CampaignBoard, CampaignView } from "../../src/domain/LiveViews.ts"
import { inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { headersOf, live } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const server = TestServer.layerWith({ LAB_SPEED: "20" })

const sum = (counts: Readonly<Record<string, number>> | ReadonlyArray<number>) =>
  Object.values(counts).reduce((all, some) => all + some, 0)

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("views of the console", (it) => {
  it.effect("show a campaign with figures that agree, from its draft to its last call", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const rpc = live(url, headersOf(owner))
      const numbers = [...numbersOf("01", 60), ...numbersOf("70", 30, 4_000), ...numbersOf("80", 20, 8_000)]
      const { id } = await own.draft(numbers, { max_concurrent_calls: "10", retries_per_contact: "1" })
      const { items } = await new Promise<{ items: ReadonlyArray<typeof CampaignView.Encoded> }>((resolve, reject) => {
        const items: Array<typeof CampaignView.Encoded> = []
        rpc.campaigns.view.subscribe(
          { id },
          { onData: ({ data }) => items.push(data), onComplete: () => resolve({ items }), onError: reject },
        )
        void until(() => items.length > 0)
          .then(() => own.operate(id, "start"))
          .then(() => until(() => (items.at(-1)?.tally.completed ?? 0) > 30))
          .then(() => own.operate(id, "stop"))
          .catch(reject)
      })
      assert.isAbove(items.length, 3)
      assert.strictEqual(items[0]!.campaign.status, "draft")
      for (const { calls, campaign, phases, pulse, snapshot, tally } of items) {
        const { campaign_id: _, outcomes, total, ...parts } = tally
        assert.strictEqual(sum(parts), total)
        assert.deepStrictEqual(campaign.counts, snapshot.counts)
        assert.deepInclude(snapshot.counts, {
          in_progress: tally.in_progress,
          completed: tally.completed,
          failed: tally.failed,
          pending: tally.not_called + tally.to_be_retried,
        })
        assert.strictEqual(calls.length, snapshot.active_calls)
        assert.strictEqual(phases.talking + phases.ringing, snapshot.active_calls)
        assert.strictEqual(pulse.slots.campaign, snapshot.active_calls)
        assert.strictEqual(snapshot.waiting.slots.used, snapshot.active_calls)
        assert.strictEqual(sum(snapshot.outcomes) + snapshot.active_calls, snapshot.dialed)
        assert.strictEqual(sum(outcomes), tally.completed + tally.failed)
        assert.isAtMost(outcomes.answered ?? 0, snapshot.outcomes.answered ?? 0)
      }
      const last = items.at(-1)
      assert.deepInclude(last!.campaign, { status: "completed", end_reason: "stopped" })
      assert.strictEqual(last!.snapshot.active_calls, 0)
    }),
  )

  it.effect("show the account and its list of campaigns with figures that agree", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const rpc = live(url, headersOf(owner))
      const views: Array<typeof AccountView.Encoded> = []
      const boards: Array<typeof CampaignBoard.Encoded> = []
      const onError = (error: unknown) => assert.fail(String(error))
      const followed = [
        rpc.account.view.subscribe({ lastEventId: "3" }, { onData: ({ data }) => views.push(data), onError }),
        rpc.account.board.subscribe({ order: "state" }, { onData: ({ data }) => boards.push(data), onError }),
      ]
      await until(() => views.length > 0 && boards.length > 0)
      assert.deepStrictEqual(views[0]!.pulse.campaigns, {})
      assert.strictEqual(boards[0]!.page.total, 0)
      const { id } = await own.running(numbersOf("01", 40), { max_concurrent_calls: "5" })
      await own.ended(id)
      const isOver = ({ pulse }: Pick<typeof AccountView.Encoded, "pulse">) => pulse.campaigns.completed === 1
      await until(() => isOver(views.at(-1)!) && isOver(boards.at(-1)!))
      for (const { unsubscribe } of followed) unsubscribe()
      for (const { activity, latest, pulse, running, tallies } of views) {
        assert.strictEqual(running.length, pulse.campaigns.running ?? 0)
        assert.strictEqual(tallies.length, running.length)
        assert.strictEqual(sum(running.map(({ active_calls }) => active_calls)), pulse.slots.campaign)
        assert.strictEqual(activity.today.calls, pulse.per_day.used)
        assert.strictEqual(activity.today.calls - activity.today.ended, pulse.slots.campaign)
        assert.strictEqual(latest.length, activity.today.calls)
      }
      for (const { page, pulse, tallies } of boards) {
        assert.strictEqual(page.total, sum(pulse.campaigns))
        for (const { counts, id } of page.items) {
          const tally = tallies.find(({ campaign_id }) => campaign_id === id)
          assert.deepInclude(counts, { completed: tally!.completed, failed: tally!.failed, total: tally!.total })
        }
      }
    }),
  )
})
