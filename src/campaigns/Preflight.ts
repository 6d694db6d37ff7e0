/**
 * Runs preflights over an account's real campaigns: a few at a time, in small steps between which other requests run.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as AgentVersions from "../catalog/AgentVersions.ts"
import * as CampaignRules from "../catalog/CampaignRules.ts"
import * as PhoneNumbers from "../catalog/PhoneNumbers.ts"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import { CallingWindow } from "../domain/CallingWindow.ts"
import { isTerminal } from "../domain/Campaign.ts"
import { windowOf } from "../domain/DialDecision.ts"
import { describeLimit, shareOfCaps } from "../domain/Forecast.ts"
import { planNumber } from "../domain/PlannedNumber.ts"
import { assumedOf, type PreflightInput, type PreflightReport } from "../domain/Preflight.ts"
import { type PreflightPlan, PreflightRun } from "../domain/PreflightRun.ts"
import type { PlannedCap } from "../domain/PreflightSpend.ts"
import type { Prices } from "../domain/PriceList.ts"
import { InvalidState, limitFields, type NotFound } from "../domain/Refusals.ts"
import { nextDay } from "../domain/ZoneClock.ts"
import { RulePacks } from "../catalog/RulePacks.ts"
import { capture } from "../tenancy/Capture.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Campaigns from "./Campaigns.ts"
import * as PartDays from "./dialling/PartDays.ts"
import * as PreflightContacts from "./preflight/PreflightContacts.ts"
import { StoredNumbers, storedNumbers } from "./StoredNumbers.ts"
import * as SpendCaps from "./preflight/SpendCaps.ts"
import * as VariableCheck from "./VariableCheck.ts"

/**
 * The most preflights of a process at the same time, each of another account: each holds the contacts of a campaign in
 * memory.
 */
const atOnce = 2
const askAgainAfterMs = 2_000
/** Contacts and calls between two points at which other fibers run: a millisecond or two. */
const stepsAtATime = 250

/** A preflight of this account is running, or the maximum number of preflights of other accounts. */
export class PreflightsBusy extends Schema.TaggedError<PreflightsBusy>()("PreflightsBusy", {
  ...limitFields,
}) {
  override get message() {
    return "A preflight of this account, or two of other accounts, are already running. Try again in a moment."
  }
}

export class Preflight extends Context.Service<
  Preflight,
  {
    readonly run: (
      id: string,
      input: PreflightInput,
    ) => Effect.Effect<PreflightReport, NotFound | InvalidState | PreflightsBusy, SqlClient.SqlClient | CurrentTenant>
  }
>()("campaigns/Preflight") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const provide = yield* capture(RulePacks)
      const prices = yield* InstallationPrices
      const running = new Set<string>()
      const place = (account: string) =>
        Effect.acquireRelease(
          Effect.suspend(() => {
            if (running.has(account) || running.size >= atOnce) return busy(running.size)
            running.add(account)
            return Effect.void
          }),
          () => Effect.sync(() => running.delete(account)),
        )
      const run = Effect.fn("Preflight.run")(function* (id: string, input: PreflightInput) {
        const campaign = yield* Campaigns.find(id)
        if (isTerminal(campaign.status)) {
          const detail = `A ${campaign.status} campaign has nothing left to simulate`
          return yield* new InvalidState({ state: campaign.status, detail })
        }
        yield* place((yield* CurrentTenant).id)
        return yield* simulate(campaign, input, prices)
      }, Effect.scoped)
      return { run: (id: string, input: PreflightInput) => provide(run(id, input)) }
    }),
  )
}

const busy = (used: number) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => new PreflightsBusy({ limit: atOnce, used, resets_at: new Date(now + askAgainAfterMs) }),
  )

const simulate = Effect.fnUntraced(function* (
  campaign: Campaigns.CampaignRow,
  input: PreflightInput,
  prices: Prices | null,
) {
  const circumstances = yield* circumstancesOf(campaign.id)
  const agent = yield* AgentVersions.agentOf(campaign.agent_id, campaign.agent_version).pipe(
    Effect.mapError(
      () =>
        new InvalidState({
          state: campaign.status,
          detail: "The campaign's agent no longer exists, so the campaign cannot dial",
        }),
    ),
  )
  const number = yield* PhoneNumbers.find(campaign.phone_number_id).pipe(
    Effect.mapError(
      () =>
        new InvalidState({
          state: campaign.status,
          detail: "The campaign's phone number no longer exists, so the campaign cannot dial",
        }),
    ),
  )
  const packs = yield* CampaignRules.presentOf(campaign)
  const charged = { carrier: number.carrier, max_call_seconds: agent.max_call_seconds, prices, now: circumstances.now }
  const spend = yield* SpendCaps.read(campaign, charged)
  const calls_by_part = yield* PartDays.read(campaign)
  const plan = planOf(campaign, { agent, number, packs, spend, calls_by_part }, circumstances, input)
  const run = yield* play(campaign, plan)
  const report = reportOf(campaign, plan, run, circumstances)
  // A run that waits for money is needed only if the caps may not cover the worst case.
  const isCovered = run.spend.reports().every(({ warning }) => warning === null)
  const forecast = forecastOf(plan, isCovered ? run : yield* play(campaign, { ...plan, waits_for_money: true }))
  return { ...report, forecast, variables: yield* VariableCheck.report(campaign) }
})

const play = Effect.fnUntraced(function* (campaign: Campaigns.CampaignRow, plan: PreflightPlan) {
  const run = new PreflightRun(plan)
  yield* PreflightContacts.forEach(
    campaign,
    plan.rules.packs,
    new Date(plan.starting_at),
    (contact, isInCall, earlier) => run.add(contact, isInCall, earlier),
  )
  while (!run.advance(stepsAtATime)) yield* Effect.yieldNow
  return run
})

const forecastOf = (plan: PreflightPlan, { money, now, tally }: PreflightRun): PreflightReport["forecast"] => {
  const ends_at = tally.pending === 0 ? now : null
  return {
    seconds: ends_at === null ? null : Math.round((ends_at - plan.starting_at) / 1_000),
    ends_at: ends_at === null ? null : new Date(ends_at),
    ...describeLimit({ ends_at, ...tally.longestWait(), spend_cap: money?.stopped_by ?? null }),
    basis: "assumed",
  }
}

const Circumstances = Schema.Struct({
  now: Schema.Date,
  concurrent_max: Schema.Int,
  calls_per_minute: Schema.Int,
  calls_per_day: Schema.Int,
  time_zone: Schema.String,
  calling_window: Schema.NullOr(Schema.toType(CallingWindow)),
  calls_today: Schema.Int,
  in_use: Schema.Int,
  numbers: StoredNumbers,
  account_begun: Schema.Array(Schema.Date),
  campaign_begun: Schema.Array(Schema.Date),
})
type Circumstances = typeof Circumstances.Type

/** Reads the account as it is now: its caps, how much of them is used, and the slots of its other campaigns. */
const circumstancesOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const startedCalls = (where: Statement.Fragment) => sql`
    array(select started_at from calls where started_at > t.now - interval '60 seconds' and ${where} order by started_at)`
  return yield* Rows.one(Circumstances)(sql`
    select t.now, b.concurrent_max, b.calls_per_minute, b.calls_per_day, b.time_zone, b.calling_window,
      calls_of_today(b, t.now) as calls_today,
      running_slots(${id}) as in_use,
      ${storedNumbers(sql)} as numbers,
      ${startedCalls(sql.literal("true"))} as account_begun, ${startedCalls(sql`campaign_id = ${id}`)} as campaign_begun
    from budget b, (select clock_timestamp() as now) t, campaigns c
    where c.id = ${id}`).pipe(Effect.orDie)
})

const planOf = (
  campaign: Campaigns.CampaignRow,
  {
    agent,
    number,
    packs,
    spend,
    calls_by_part,
  }: {
    readonly agent: PreflightPlan["agent"]
    readonly number: { readonly number: string }
    readonly packs: PreflightPlan["rules"]["packs"]
    readonly spend: PreflightPlan["spend"]
    readonly calls_by_part: PreflightPlan["calls_by_part"]
  },
  circumstances: Circumstances,
  input: PreflightInput,
): PreflightPlan => {
  const { account_begun, campaign_begun, now, numbers, time_zone } = circumstances
  const starting_at = startOf(campaign, now, input).getTime()
  // Other running campaigns continue. The caps are shared with them in the same way as in the forecast of the event
  // stream.
  const { calls_today, ...shared } = shareOfCaps(circumstances, campaign.max_concurrent_calls, circumstances.in_use)
  const isToday = nextDay(time_zone, starting_at) === nextDay(time_zone, now.getTime())
  const before = (begun: ReadonlyArray<Date>) => begun.map((at) => at.getTime()).filter((at) => at <= starting_at)
  return {
    max_concurrent_calls: campaign.max_concurrent_calls,
    max_calls_per_minute: campaign.max_calls_per_minute,
    retries_per_contact: campaign.retries_per_contact,
    retry_delay_seconds: campaign.retry_delay_seconds,
    retry_by_outcome: campaign.retry_by_outcome,
    redial_unknown: campaign.redial_unknown,
    account: { ...circumstances, ...shared },
    numbers: numbers.map((one) => planNumber(one, isToday)),
    agent,
    window: windowOf(campaign, circumstances),
    rules: { packs, from_number: number.number },
    requires_consent: campaign.required_consent !== null,
    quiet_after_answer_seconds: campaign.quiet_after_answer_seconds,
    retry_time_of_day: campaign.retry_time_of_day,
    calls_by_part,
    assumed: assumedOf(input),
    starting_at,
    calls_today: isToday ? calls_today : 0,
    waits_for_money: false,
    spend: isToday ? spend : { ...spend, caps: spend.caps.map(asOfLater) },
    begun: { account: before(account_begun), campaign: before(campaign_begun) },
  }
}

/** On a later day nothing of the account's cap is used. */
const asOfLater = (planned: PlannedCap): PlannedCap =>
  planned.cap === "daily_spend_cap" ? { ...planned, spent: 0, reserved: 0 } : planned

const startOf = ({ scheduled_at, status }: Campaigns.CampaignRow, now: Date, { starting_at }: PreflightInput): Date => {
  if (starting_at !== undefined) return new Date(starting_at)
  return status === "draft" && scheduled_at !== null && scheduled_at > now ? scheduled_at : now
}

const reportOf = (
  campaign: Campaigns.CampaignRow,
  plan: PreflightPlan,
  { now, spend, tally }: PreflightRun,
  { concurrent_max, in_use }: Circumstances,
): Omit<PreflightReport, "variables" | "forecast"> => {
  const { max_concurrent_calls: requested } = campaign
  const milliseconds = tally.pending === 0 ? now - plan.starting_at : null
  const waited = [...tally.waited].sort(([, a], [, b]) => b - a)
  return {
    campaign_id: campaign.id,
    status: campaign.status,
    assumptions: plan.assumed,
    starting_at: new Date(plan.starting_at),
    ends_at: milliseconds === null ? null : new Date(now),
    duration_seconds: milliseconds === null ? null : milliseconds / 1_000,
    contacts: {
      considered: tally.considered,
      completed: tally.completed,
      failed: tally.failed,
      skipped: tally.skippedInAll,
      pending: tally.pending,
    },
    attempts: tally.attempts,
    outcomes: Object.fromEntries(tally.outcomes),
    slots: { limit: requested, peak: tally.peak, average: tally.averageSlots },
    calls_per_hour: [...tally.hours].map(([at, calls]) => ({ at: new Date(at), calls })),
    skipped: tally.skipped,
    rules: {
      refused: [...tally.refused.values()].map(({ put_off, rule: { pack, rule, title, version }, skipped }) => ({
        ...{ pack, version, rule, title },
        ...{ put_off: put_off.size, skipped: skipped.size },
      })),
      unchecked: tally.unchecked,
    },
    quiet_period: { put_off: tally.quiet.size },
    waiting: {
      most: waited[0]?.[0] ?? null,
      seconds: Object.fromEntries(waited.map(([reason, ms]) => [reason, ms / 1_000])),
    },
    budget: { requested, in_use, concurrent_max, fits: requested + in_use <= concurrent_max },
    spend_caps: spend.reports(),
  }
}
