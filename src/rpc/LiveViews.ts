/**
 * Views of the console: all figures of a page are read in one transaction and sent as one item, so that they agree. A
 * view is read every second or two, and sent when it has changed.
 */
import { type Duration, Effect, Option, Stream } from "effect"
import * as CallHistory from "../calls/CallHistory.ts"
import { countPhases } from "../calls/CallPhases.ts"
import * as AccountOverview from "../campaigns/AccountOverview.ts"
import { toCampaign } from "../campaigns/CampaignAnswer.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import { observe } from "../campaigns/SnapshotQuery.ts"
import { isTerminal } from "../domain/Campaign.ts"
import type { AccountView, CampaignBoard, CampaignView } from "../domain/LiveViews.ts"
import type { NotFound } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { atOneMoment } from "../tenancy/OneMoment.ts"
import { type Tenant, TenantDatabases } from "../tenancy/TenantDatabases.ts"

const often: Duration.Input = "1 second"
const calmly: Duration.Input = "2 seconds"

/** More calls than a page shows as just ended, because the latest may still be in progress. */
const latestCalls = { page: 0, page_size: 60 }

export const campaignView = (id: string) =>
  viewOf(
    Effect.gen(function* () {
      const { import: _import, variables: _variables, ...campaign } = toCampaign(yield* Campaigns.find(id))
      const { snapshot } = yield* observe(campaign.id)
      const tally = (yield* AccountOverview.tallies([campaign.id]))[0]
      if (tally === undefined) return yield* Effect.die(new Error("The campaign has no progress"))
      const calls = yield* CallHistory.listInProgress(campaign.id)
      const phases = yield* countPhases(campaign.id)
      const pulse = yield* AccountOverview.pulse()
      return { campaign, snapshot, tally, calls, phases, pulse } satisfies CampaignView
    }),
    // Calls outlive a campaign that was stopped, so the view continues until they end.
    ({ campaign, snapshot }) =>
      snapshot.active_calls > 0 || campaign.status === "running"
        ? often
        : isTerminal(campaign.status)
          ? undefined
          : calmly,
  )

export const accountView = viewOf(
  Effect.gen(function* () {
    const pulse = yield* AccountOverview.pulse()
    const activity = yield* AccountOverview.activity()
    const running = yield* AccountOverview.findRunning()
    const tallies = yield* AccountOverview.tallies(running.map(({ campaign_id }) => campaign_id))
    const needy = yield* AccountOverview.needy()
    const latest = (yield* CallHistory.list(latestCalls)).items
    return { pulse, activity, running, tallies, needy, latest } satisfies AccountView
  }),
  () => calmly,
)

export const campaignBoard = (filter: Campaigns.CampaignFilter) =>
  viewOf(
    Effect.gen(function* () {
      const { items, ...numbers } = yield* Campaigns.list(filter)
      const page = { ...numbers, items: items.map(toCampaign) }
      const tallies = yield* AccountOverview.tallies(items.map(({ id }) => id))
      const running = yield* AccountOverview.findRunning()
      const pulse = yield* AccountOverview.pulse()
      return { page, tallies, running, pulse } satisfies CampaignBoard
    }),
    () => calmly,
  )

/** Reads the view at once and after each pause. Ends when `pauseAfter` returns undefined. */
function viewOf<View extends object>(
  read: Effect.Effect<View, NotFound, Tenant>,
  pauseAfter: (view: View) => Duration.Input | undefined,
) {
  return Effect.gen(function* () {
    const account = yield* CurrentTenant
    const look = Effect.scoped(
      Effect.flatMap(
        TenantDatabases.use((tenants) => tenants.open(account)),
        (tenant) => Effect.provideContext(atOneMoment(read), tenant),
      ),
    )
    return Stream.paginate({ pause: Effect.void as Effect.Effect<void>, number: 0, told: "" }, (state) =>
      Effect.map(Effect.andThen(state.pause, look), (view) => {
        const content = contentOf(view)
        const items = content === state.told ? [] : [[String(state.number), view] as const]
        const pause = pauseAfter(view)
        const next = { pause: Effect.sleep(pause ?? 0), number: state.number + items.length, told: content }
        return [items, pause === undefined ? Option.none() : Option.some(next)] as const
      }),
    )
  })
}

/** A view without the moments at which it was read: two with the same content show the same page. */
const contentOf = (view: object): string => JSON.stringify(view, (key, value: unknown) => (key === "at" ? null : value))
