/**
 * One call of a scenario: the same program as every call, with a simulated caller on the line. It is not a phone call:
 * it has no row, no cap and no slot, and its tools' writes to the account are rolled back.
 */
import { Cause, Deferred, Effect, Exit, Option, Random } from "effect"
import { v7 as uuidv7 } from "uuid"
import { Models } from "../brain/model/Models.ts"
import * as CallSession from "../calls/live/CallSession.ts"
import type { RunInAccount } from "../calls/live/InAccount.ts"
import type { AgentKit } from "../catalog/AgentKit.ts"
import type { PhoneNumberRow } from "../catalog/PhoneNumbers.ts"
import { CallRecord } from "../conversation/CallRecord.ts"
import { CallId } from "../domain/Call.ts"
import { E164 } from "../domain/E164.ts"
import { PhoneNumberId } from "../domain/PhoneNumber.ts"
import type { Check, Scenario, ScenarioCall } from "../domain/Scenario.ts"
import * as Offload from "../offload/Offload.ts"
import * as LabLine from "../telephony/lab/LabLine.ts"
import type { Answer } from "../telephony/lab/Personas.ts"
import { Telephony } from "../telephony/Telephony.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { partyOf } from "./Caller.ts"
import { judging } from "./Checks.ts"
import * as ModelCaller from "./ModelCaller.ts"
import * as PhoneTime from "./PhoneTime.ts"
import * as StandIns from "./StandIns.ts"

/**
 * Seconds of phone time per second when a language model takes part: the time that it needs for its answers must not
 * look like silence.
 */
const modelSpeed = 4
/** The maximum duration of a call, in real time. */
const longest = "3 minutes"

/** Numbers reserved for fiction (NANP, 555-0100 to 555-0199). */
const [caller, agentNumber] = [E164.make("+12025550100"), E164.make("+12025550101")]
const hangsUp: Answer = { text: null, hangs_up: true, interrupts: null }

export interface Stage {
  readonly tenant: AccountEntry
  readonly kit: AgentKit
  readonly inAccount: RunInAccount
}

/**
 * Runs one call. The scenario's name and `attempt` seed the times for which the caller thinks, so that a repeated call
 * is identical.
 */
export const hold = Effect.fn("ScenarioCall.hold")(function* (
  { inAccount, kit, tenant }: Stage,
  scenario: Scenario,
  attempt: number,
) {
  const models = yield* Models
  const real = yield* ToolRunner
  const { tools = {} } = scenario
  const record = new CallRecord()
  record.digits = null
  let callerError: string | null = null

  const own = models.inText(kit.agent.model)
  const think = ModelCaller.thinker(models, scenario.caller, own)
  const party = partyOf(scenario.caller, (heard) =>
    Effect.catchTag(think(heard), "CallerFailed", (failed) => {
      callerError = failed.message
      return Effect.succeed(hangsUp)
    }),
  )
  const usesModel = scenario.caller.persona !== undefined || Option.isSome(models.find(own))
  const speed = usesModel ? modelSpeed : 1
  const time = usesModel ? PhoneTime.real : yield* PhoneTime.make
  const runner = StandIns.runnerWith(real, tools)
  const inTenant: CallSession.Session["inTenant"] = (effect) =>
    time.outside(inAccount(tenant)(Effect.provideService(rollBack(effect), ToolRunner, runner)))

  const started_at = new Date(yield* Effect.clockWith((clock) => clock.currentTimeMillis))
  const call = callOf(kit, scenario, started_at)
  const session: CallSession.Session = {
    tenant,
    call,
    kit: StandIns.kitWith(kit, tools),
    number: numberOf(call.phone_number_id, started_at),
    record,
    recorder: null,
    hangUp: Deferred.makeUnsafe(),
    ringing: Effect.void,
    answered: () => Effect.void,
    confirmForDialling: Effect.void,
    confirmOwnership: Effect.void,
    mayHangUp: Effect.succeed(true),
    inTenant,
    requests: null,
  }
  const ended = yield* CallSession.run(session).pipe(
    Effect.provideService(Telephony, telephonyTo(party, speed)),
    Effect.scoped,
    time.within,
    Random.withSeed(`${scenario.name} ${attempt}`),
    Effect.timeoutOption(longest),
    Effect.exit,
  )
  const end = Exit.isSuccess(ended) ? Option.getOrNull(ended.value) : null
  const error = (yield* findFailure(ended)) ?? callerError
  const held = { error, ...courseOf(record, end) }
  const checks = yield* Effect.orElseSucceed(Offload.run(judging, { expect: scenario.expect, held }), () => [tooCostly])
  const result: ScenarioCall = { ...held, checks, passed: error === null && checks.every(({ passed }) => passed) }
  return result
})

/** Why the call did not end; null if it ended. Is interrupted if the call was. */
const findFailure = Effect.fnUntraced(function* (ended: Exit.Exit<Option.Option<unknown>>) {
  if (Exit.isSuccess(ended)) return Option.isSome(ended.value) ? null : `The call had not ended after ${longest}.`
  if (Cause.hasInterruptsOnly(ended.cause)) return yield* Effect.failCause(ended.cause)
  yield* Effect.logError("scenario call failed by a defect", ended.cause)
  return "The call died."
})

/** The course of the call: how it ended, and what was recorded of it. */
const courseOf = (record: CallRecord, end: Effect.Success<ReturnType<typeof CallSession.run>> | null) => ({
  outcome: end?.outcome ?? null,
  end_reason: end?.end_reason ?? null,
  turns: record.turns.length,
  duration_seconds: record.talked_ms / 1_000,
  cost: record.cost.amount,
  result: record.result,
  transcript: record.transcript,
  tool_invocations: record.tool_invocations,
})

/** A telephony in which every number reaches the simulated caller. */
const telephonyTo = (party: Parameters<typeof LabLine.make>[0], speed: number): Telephony["Service"] => ({
  dials: () => true,
  obstacleOf: () => null,
  outlives: () => false,
  rejoins: () => false,
  rejoin: () => Effect.succeed(null),
  dial: () => LabLine.make(party, speed),
  close: () => Effect.die("a scenario's call has no carrier"),
})

/** The check that replaces all others if they cannot be made. */
const tooCostly: Check = {
  expectation: "expectations that can be checked",
  passed: false,
  detail: "Checking them took too long. Make the regular expressions simpler, or expect less at once.",
}

/** Runs an effect in a transaction that is never committed. */
const rollBack = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let exit: Exit.Exit<A, E> = Exit.die("it was not run")
    const run = Effect.flatMap(Effect.exit(effect), (done) => {
      exit = done
      return Effect.fail("taken back")
    })
    yield* Effect.ignore(transaction(run))
    return yield* exit
  })

const callOf = ({ agent }: AgentKit, scenario: Scenario, started_at: Date): CallSession.Session["call"] => ({
  id: CallId.make(uuidv7()),
  direction: "outbound",
  agent_id: agent.id,
  agent_name: agent.name,
  agent_version: agent.version,
  phone_number_id: PhoneNumberId.make(uuidv7()),
  to_number: caller,
  from_number: agentNumber,
  variables: scenario.variables ?? {},
  campaign_id: null,
  contact_id: null,
  attempt_number: null,
  decision: null,
  started_at,
})

const numberOf = (id: PhoneNumberRow["id"], moment: Date): PhoneNumberRow => ({
  id,
  number: agentNumber,
  label: "scenario",
  carrier: "lab",
  carrier_config: {},
  inbound_agent_id: null,
  max_calls_per_day: null,
  min_seconds_between_calls: null,
  created_at: moment,
  updated_at: moment,
  revision: 1,
})
