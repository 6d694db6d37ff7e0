/** Inputs of a rehearsal: scenarios with simulated callers, stand-ins for tools, and expectations. */
import { z } from "zod"
import { endReasons } from "../../domain/EndReasons.ts"
import { between, decimalBetween, DisplayName, JsonObject, Key, page, text } from "./Fields.ts"
import { Outcome } from "./Campaigns.ts"

const words = text(1, 2_000)
const pattern = text(1, 500)
const toolName = text(1, 64)

/** How many of these keys an object has. */
const countKeys = (value: object, keys: ReadonlyArray<string>) => keys.filter((key) => Object.hasOwn(value, key)).length

const acts = ["say", "wait", "hang_up", "barge_in"]

const CallerStep = z
  .strictObject({
    when: pattern.exactOptional(),
    say: words.exactOptional(),
    wait: z.literal(true).exactOptional(),
    hang_up: z.literal(true).exactOptional(),
    barge_in: words.exactOptional(),
    after_ms: between(0, 60_000).exactOptional(),
  })
  .refine((step) => {
    const count = countKeys(step, acts)
    return count === 1 || (count === 2 && step.say !== undefined && step.hang_up !== undefined)
  }, "must have one of say, wait, hang_up and barge_in")

const Model = z.strictObject({
  provider: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/u, "must be the name of a provider, such as lab"),
  id: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._:/@+-]{0,199}$/u, "must be an id that the provider uses"),
})

const SimulatedCaller = z
  .strictObject({
    opening: words.nullable().exactOptional(),
    says: z
      .array(z.union([words, CallerStep]))
      .max(100)
      .exactOptional(),
    voicemail: words.exactOptional(),
    persona: words.exactOptional(),
    goal: words.exactOptional(),
    model: Model.exactOptional(),
  })
  .refine(
    (caller) => countKeys(caller, ["says", "voicemail", "persona"]) === 1,
    "must have one of says, voicemail and persona",
  )
  .refine(
    ({ goal, model, persona }) => (goal === undefined && model === undefined) || persona !== undefined,
    "may have goal and model only together with persona",
  )

const StandIn = z
  .strictObject({
    result: z.json().exactOptional(),
    results: z.array(z.json()).min(1).max(50).exactOptional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
    real: z.literal(true).exactOptional(),
  })
  .refine(
    (one) => countKeys(one, ["result", "results", "error", "real"]) === 1,
    "must have one of result, results, error and real",
  )

const ExpectedCall = z.strictObject({
  tool: toolName,
  arguments: JsonObject.exactOptional(),
  times: between(1, 100).exactOptional(),
})

const EndReason = z.enum(endReasons)

const some = <Item extends z.ZodType>(item: Item) => z.array(item).max(50).exactOptional()

const Expectations = z
  .strictObject({
    called: some(ExpectedCall),
    not_called: some(toolName),
    said: some(pattern),
    never_said: some(pattern),
    outcome: Outcome.exactOptional(),
    end_reason: EndReason.exactOptional(),
    ended_by: z.enum(["agent", "caller"]).exactOptional(),
    result: JsonObject.exactOptional(),
    turns_at_most: between(1, 1_000).exactOptional(),
    seconds_at_most: decimalBetween(0, 14_400).exactOptional(),
    cost_at_most: decimalBetween(0, 1_000).exactOptional(),
  })
  .refine((one) => Object.keys(one).length > 0, "must expect something")

export const Scenario = z.strictObject({
  name: DisplayName,
  description: z.string().max(2_000).exactOptional(),
  caller: SimulatedCaller,
  variables: JsonObject.exactOptional(),
  tools: z.record(toolName, StandIn).exactOptional(),
  expect: Expectations,
  repeat: between(1, 10).exactOptional(),
})

export const NewScenarioRun = z.strictObject({
  scenarios: z.array(Scenario).min(1).max(50).exactOptional(),
  version: between(1, 2_147_483_647).exactOptional(),
  repeat: between(1, 10).exactOptional(),
})

export const ScenarioRunOfAgent = NewScenarioRun.extend({ agent_id: Key })
export const ScenarioRunList = z.strictObject({ agent_id: Key, ...page() })
export const ScenarioRunKey = z.strictObject({ agent_id: Key, run_id: Key })
