/** A campaign: one agent calls a contact list from one number. Its states, its settings, its refusals (spec §2, §3). */
import { Result, Schema } from "effect"
import { AgentId } from "./Agent.ts"
import { callbacksAtMost } from "./Callback.ts"
import { CallerNumberFields } from "./CallerNumberFields.ts"
import { OptOutScope } from "./CallOptOut.ts"
import { CallingWindow } from "./CallingWindow.ts"
import { RulePackIds } from "./RulePack.ts"
import { RequiredConsent } from "./Consent.ts"
import { ImportReport } from "./ImportReport.ts"
import { Amount } from "./Money.ts"
import { Name, visible } from "./Name.ts"
import { PhoneNumberId } from "./PhoneNumber.ts"
import { InvalidState } from "./Refusals.ts"
import { RetryByOutcome } from "./RetryByOutcome.ts"
import { Subject } from "./Subject.ts"
import { RetryTimeOfDay } from "./TimeOfDay.ts"
import { CreatedAt, Timestamp, TimestampInput, UpdatedAt } from "./Timestamp.ts"
import { VariableReport } from "./VariableReport.ts"

export const CampaignId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("CampaignId"))
export type CampaignId = typeof CampaignId.Type

export const CampaignStatus = Schema.Literals(["draft", "running", "paused", "completed", "failed"]).annotate({
  description: "`draft`: not started yet, perhaps scheduled. `completed` and `failed` are terminal.",
})
export type CampaignStatus = typeof CampaignStatus.Type

export const Operation = Schema.Literals(["start", "pause", "resume", "stop", "delete"])
export type Operation = typeof Operation.Type

/** The effect of an operation on a campaign: another status, no change, deletion, or a refusal. */
export type Move = CampaignStatus | "unchanged" | "removed" | "refused"

/** All transitions of a campaign's status (decisions §2, States): every cell is a decision. */
export const moves: Record<CampaignStatus, Record<Operation, Move>> = {
  draft: { start: "running", pause: "refused", resume: "refused", stop: "completed", delete: "removed" },
  running: { start: "unchanged", pause: "paused", resume: "unchanged", stop: "completed", delete: "refused" },
  paused: { start: "running", pause: "unchanged", resume: "running", stop: "completed", delete: "refused" },
  completed: { start: "refused", pause: "refused", resume: "refused", stop: "unchanged", delete: "refused" },
  failed: { start: "refused", pause: "refused", resume: "refused", stop: "unchanged", delete: "refused" },
}

/** The move that the operation makes from this status, or its refusal. */
export const move = (
  from: CampaignStatus,
  operation: Operation,
): Result.Result<Exclude<Move, "refused">, InvalidState> => {
  const to = moves[from][operation]
  return to === "refused"
    ? Result.fail(new InvalidState({ state: from, detail: `A ${from} campaign cannot ${verb[operation]}` }))
    : Result.succeed(to)
}
const verb: Record<Operation, string> = {
  start: "be started",
  pause: "be paused",
  resume: "be resumed",
  stop: "be stopped",
  delete: "be deleted; only drafts can",
}

/** The states that clients filter by. They distinguish scheduled drafts from drafts that wait for the budget. */
export const CampaignState = Schema.Literals([
  "running",
  "waiting",
  "scheduled",
  "paused",
  "draft",
  "completed",
  "failed",
  "ended",
]).annotate({
  description:
    "`scheduled`: a draft that starts at `scheduled_at`. `waiting`: a draft whose time has come and that waits for the concurrency budget. `ended`: completed or failed.",
})
export type CampaignState = typeof CampaignState.Type

export const CampaignOrder = Schema.Literals(["newest", "state"]).annotate({
  description:
    "`newest` (default): newest first. `state`: running, waiting, scheduled (by time), paused, draft, and then ended campaigns, the latest first.",
})
export type CampaignOrder = typeof CampaignOrder.Type

/** Whether no operation leads out of this status. */
export const isTerminal = (status: CampaignStatus): boolean => status === "completed" || status === "failed"

export const WaitingFor = Schema.Literals([
  "concurrent_cap",
  "per_minute_cap",
  "daily_cap",
  "spend_cap",
  "caller_number",
  "calling_window",
  "rule",
  "quiet_period",
  "time_of_day",
  "budget",
  "retry_delay",
  "callback",
  "carrier",
  "restored",
]).annotate({
  description:
    "What keeps the campaign from dialling now. `budget`: the scheduled time has come, but the account's concurrency budget has no room. `spend_cap`: what is left of `max_spend`, or of the account's `daily_spend_cap`, does not cover the next call; `waiting_detail` says which, and when dialling continues. `caller_number`: each of its numbers rests, has had its calls of the day, or keeps its seconds between calls. `rule`: a rule of its packs puts off each contact that is left. `quiet_period`: each contact that is left answered a call too recently. `time_of_day`: every retry that is left waits for another part of the day. `callback`: every contact that is left has asked to be called back later. `carrier`: the campaign was paused because too many of its calls failed at the carrier; a user has to resume it. `restored`: the account was restored from a backup, and an administrator has to set it to `active` before it dials.",
})
export type WaitingFor = typeof WaitingFor.Type

export const CampaignEnd = Schema.Literals([
  "finished",
  "stopped",
  "agent_missing",
  "phone_number_missing",
  "carrier_rejected",
]).annotate({
  description:
    "Why the campaign ended. `finished`: no contact is left to call. `stopped`: a user stopped it. `agent_missing` and `phone_number_missing`: the agent or the number no longer exists. `carrier_rejected`: this installation cannot dial over the number's carrier.",
})
export type CampaignEnd = typeof CampaignEnd.Type

/** The terminal state that each end leads to. */
export const statusAtEnd: Record<CampaignEnd, CampaignStatus> = {
  finished: "completed",
  stopped: "completed",
  agent_missing: "failed",
  phone_number_missing: "failed",
  carrier_rejected: "failed",
}

export const DuplicatePolicy = Schema.Literals(["skip", "reject", "keep"]).annotate({
  description:
    "What to do with a phone number that occurs more than once in the file. `skip` (default): leave out the later rows. `reject`: refuse the file with a 400. `keep`: call it once for each row.",
})
export type DuplicatePolicy = typeof DuplicatePolicy.Type

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Fields that a client may write when it creates a campaign, and later while the campaign is a draft. */
export const CampaignFields = {
  name: Schema.String.check(
    Schema.isPattern(/\S/u, { message: "must not be empty" }),
    Schema.isMaxLength(200),
    visible,
  ).annotate({ description: "The campaign's name, for people. It need not be unique." }),
  agent_id: AgentId.annotate({ description: "The agent that places the calls." }),
  phone_number_id: PhoneNumberId.annotate({ description: "The phone number that the campaign dials from." }),
  max_concurrent_calls: between(1, 1_000_000).annotate({
    description:
      "The maximum number of concurrent calls, from 1 to the account's `concurrent_max`. It counts toward the account's concurrency budget while the campaign runs. A new campaign has 1 by default.",
  }),
  retries_per_contact: between(0, 10).annotate({
    description:
      "The maximum number of attempts after the first, whatever the outcomes. A new campaign has 0 by default.",
  }),
  retry_delay_seconds: between(0, 604_800).annotate({
    description: "Seconds from the end of an attempt to the next. A new campaign has 300 by default.",
  }),
  retry_by_outcome: Schema.NullOr(RetryByOutcome).annotate({
    description:
      "Other delays and numbers of retries after attempts that ended as `no_answer`, `busy`, `voicemail` or `carrier_error`. Null (the default): the campaign's own values apply after every outcome.",
  }),
  retry_time_of_day: Schema.NullOr(RetryTimeOfDay).annotate({
    description:
      "`rotate`: a retry falls into the part of the day that has the fewest earlier attempts: morning (5 to 11 o'clock), midday (11 to 14), afternoon (14 to 18) or evening, in the called party's time zone and within the calling window, never before its delay has passed and at most a week later. `best`: it falls into the part in which the number answered before, otherwise into the part in which people answered most of the account's campaign calls of the last 90 days, and otherwise as with `rotate`, within the same limits. Null (the default): a retry follows when its delay has passed.",
  }),
  calling_window: Schema.NullOr(CallingWindow).annotate({
    description: "When the campaign may dial. Null (the default) takes the account's window.",
  }),
  required_consent: Schema.NullOr(RequiredConsent).annotate({
    description:
      "The consent that a number must have when it is dialled. A contact without it is skipped with `no_consent`. Null (the default) requires none.",
  }),
  quiet_after_answer_seconds: Schema.NullOr(between(1, 31_622_400)).annotate({
    description:
      "Seconds after the end of an answered call in which the campaign does not call the same number. The calls of all campaigns of the account count. A callback that the person asked for is dialled all the same. Null (the default) for no quiet period.",
  }),
  max_calls_per_minute: Schema.NullOr(between(1, 1_000_000)).annotate({
    description:
      "The maximum number of calls that the campaign begins in any 60 seconds, in addition to the account's cap. Null for no limit of its own.",
  }),
  callbacks_per_contact: between(0, callbacksAtMost).annotate({
    description:
      "How often the campaign calls a contact again at the time that the person asked for, in addition to the retries. With 0, the default, the agent only notes such a wish, and the contact is completed.",
  }),
  rule_packs: RulePackIds.annotate({
    description:
      "The rule packs by which each dial is judged, in addition to the calling window. None by default: then no rule of law is checked. A running or paused campaign takes further packs; removing one needs `loosen_rules`.",
  }),
  subject: Schema.NullOr(Subject).annotate({
    description:
      "What the calls are about. Rules that cap attempts per subject count the campaigns with the same subject, in any case. Null (the default): it may be about anything, so that each attempt counts.",
  }),
  opt_out_scope: OptOutScope,
  max_spend: Schema.NullOr(Amount).annotate({
    description:
      'The most that the campaign may spend, in the currency of `cost`, as a decimal string such as "50.00". Before each call the most that it may cost is reserved; if that does not fit, the campaign waits with `waiting_for` `spend_cap`. Null (the default) for no limit. Needs a price list (`PARLEY_PRICES_FILE`).',
    examples: ["50.00"],
  }),
  ...CallerNumberFields,
  redial_unknown: Schema.Boolean.annotate({
    description:
      "Whether to retry an attempt with the outcome `unknown`, although the phone may have rung. A new campaign has false by default.",
  }),
}

export const ScheduledAtInput = Schema.NullOr(TimestampInput).annotate({
  description:
    "When the draft starts automatically. Null (the default) if only a request starts it. RFC 3339 with a UTC offset.",
})

export const Counts = Schema.Struct({
  total: Schema.Int.annotate({ description: "All contacts of the campaign: the sum of the other counts." }),
  pending: Schema.Int.annotate({ description: "Contacts that are not called yet or wait for a retry." }),
  in_progress: Schema.Int.annotate({ description: "Contacts in a call." }),
  completed: Schema.Int.annotate({ description: "Contacts that were reached." }),
  failed: Schema.Int.annotate({ description: "Contacts that were not reached and are not dialled again." }),
  skipped: Schema.Int.annotate({ description: "Contacts that are not dialled; `skip_reason` says why." }),
}).annotate({ identifier: "CampaignCounts", description: "The number of contacts by status." })
export type Counts = typeof Counts.Type

const { redial_unknown: _, ...shown } = CampaignFields

export const Campaign = Schema.Struct({
  id: CampaignId.annotate({ description: "The campaign's UUID, assigned by Parley." }),
  ...shown,
  name: Name.annotate({ description: "The campaign's name, for people. It need not be unique." }),
  agent_version: Schema.NullOr(Schema.Int).annotate({
    description:
      "The version of the agent that the campaign started with and keeps. Null for a draft, which takes the present version when it starts.",
  }),
  rule_pack_versions: Schema.Record(Schema.String, Schema.String).annotate({
    description:
      "The versions of the campaign's rule packs. They are frozen when it starts; a draft shows those of the moment at which they were chosen.",
  }),
  status: CampaignStatus,
  scheduled_at: Schema.NullOr(Timestamp).annotate({
    description: "When the draft starts automatically. Null if only a request starts it.",
  }),
  counts: Counts,
  import: ImportReport,
  variables: Schema.NullOr(VariableReport).annotate({
    description:
      "Variables that the agent's templates use and that contacts do not have. A draft is checked against the present agent, a started campaign against the version that it keeps. Lists return the result of the last request for the single campaign. The report does not prevent a start. Null if the campaign has not been checked yet.",
  }),
  waiting_for: Schema.NullOr(WaitingFor),
  waiting_detail: Schema.NullOr(Schema.String).annotate({
    description:
      "A sentence for people with more detail on `waiting_for`; for `carrier`, how many of the last calls failed; for `spend_cap`, which cap holds and what ends the wait, or which price is missing. Null if there is nothing to add.",
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  started_at: Schema.NullOr(Timestamp).annotate({
    description: "When the campaign was first started. Null for a draft.",
  }),
  ended_at: Schema.NullOr(Timestamp).annotate({
    description: "When the campaign reached a terminal status. Null until then.",
  }),
  end_reason: Schema.NullOr(CampaignEnd),
}).annotate({ identifier: "Campaign" })
export type Campaign = typeof Campaign.Type

/** Fields that may change while a campaign runs or is paused (decisions §1); all others change only in a draft. */
export const changeableWhileRunning: ReadonlySet<string> = new Set([
  "name",
  "max_concurrent_calls",
  "retries_per_contact",
  "retry_delay_seconds",
  "rule_packs",
  "max_spend",
])

/** The running campaigns and this one together would exceed the account's `concurrent_max` (spec §3; I4). */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  requested: Schema.Int.annotate({ description: "This campaign's `max_concurrent_calls`." }),
  in_use: Schema.Int.annotate({ description: "The sum of `max_concurrent_calls` of the running campaigns." }),
  concurrent_max: Schema.Int.annotate({ description: "The account's `concurrent_max`." }),
}) {
  override get message() {
    return `Running campaigns use ${this.in_use} of ${this.concurrent_max} concurrent calls; this campaign asks for ${this.requested}.`
  }
}
