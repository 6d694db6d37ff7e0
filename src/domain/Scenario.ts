/** A rehearsal of a call: its caller, the tools' answers and the expectations; and the result of running it. */
import { Schema } from "effect"
import { AgentId, Model } from "./Agent.ts"
import { VersionAuthor } from "./AgentVersion.ts"
import { CallVariables, EndReason, Outcome, ToolFailure, ToolInvocation, TranscriptEntry } from "./Call.ts"
import { DisplayNameInput, Name } from "./Name.ts"
import { Timestamp } from "./Timestamp.ts"

const Words = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))
const Pattern = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500)).annotate({
  description: "A regular expression (RE2), found anywhere in the text, upper and lower case alike.",
})

/** How many of these keys an object has. */
const having = (value: object, keys: ReadonlyArray<string>) => keys.filter((key) => Object.hasOwn(value, key)).length

const acts = ["say", "wait", "hang_up", "barge_in"] as const

export const CallerStep = Schema.Struct({
  when: Schema.optionalKey(
    Pattern.annotate({ description: "Taken only after the agent has said something like this." }),
  ),
  say: Schema.optionalKey(Words),
  wait: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Says nothing to it." })),
  hang_up: Schema.optionalKey(Schema.Literal(true).annotate({ description: "After `say`, where there is one." })),
  barge_in: Schema.optionalKey(Words.annotate({ description: "Said into the agent's next words." })),
  after_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 })).annotate({
      description: "Of the agent's words, until `barge_in` begins; 1200 if left out.",
    }),
  ),
})
  .check(
    Schema.makeFilter((step) => {
      const count = having(step, acts)
      const both = count === 2 && step.say !== undefined && step.hang_up !== undefined
      return count === 1 || both || "must have one of say, wait, hang_up and barge_in"
    }),
  )
  .annotate({ identifier: "CallerStep", examples: [{ when: "another day", say: "The 14th of March." }] })
export type CallerStep = typeof CallerStep.Type

const kinds = ["says", "voicemail", "persona"] as const

export const SimulatedCaller = Schema.Struct({
  opening: Schema.optionalKey(
    Schema.NullOr(Words).annotate({ description: "`Hello?` if left out; null waits for the agent." }),
  ),
  says: Schema.optionalKey(
    Schema.Array(
      Schema.Union([Words, CallerStep]).annotate({
        message: "must be a text, or an object with say, wait, hang_up or barge_in",
      }),
    )
      .check(Schema.isMaxLength(100))
      .annotate({
        description:
          "A script. To each thing the agent says, the first step left that fits is the answer; after the last one the caller says goodbye. A text is a step that always fits.",
      }),
  ),
  voicemail: Schema.optionalKey(Words.annotate({ description: "A machine: its greeting, and then a tone." })),
  persona: Schema.optionalKey(Words.annotate({ description: "A language model is the caller: who it is." })),
  goal: Schema.optionalKey(Words.annotate({ description: "And what it wants from the call." })),
  model: Schema.optionalKey(Model.annotate({ description: "Which one; the agent's own if left out." })),
})
  .check(
    Schema.makeFilter((caller) => {
      if (having(caller, kinds) !== 1) return "must have one of says, voicemail and persona"
      const needsPersona = caller.goal !== undefined || caller.model !== undefined
      return !needsPersona || caller.persona !== undefined || "goal and model go with persona alone"
    }),
  )
  .annotate({ identifier: "SimulatedCaller" })
export type SimulatedCaller = typeof SimulatedCaller.Type

const answers = ["result", "results", "error", "real"] as const

export const StandIn = Schema.Struct({
  result: Schema.optionalKey(Schema.Json),
  results: Schema.optionalKey(
    Schema.Array(Schema.Json)
      .check(Schema.isMinLength(1), Schema.isMaxLength(50))
      .annotate({ description: "In turn; the last one again and again." }),
  ),
  error: Schema.optionalKey(ToolFailure),
  real: Schema.optionalKey(Schema.Literal(true).annotate({ description: "The tool itself is run." })),
})
  .check(Schema.makeFilter((one) => having(one, answers) === 1 || "must have one of result, results, error and real"))
  .annotate({
    identifier: "StandIn",
    description: "What a tool answers in a scenario.",
    examples: [{ result: { free: 3 } }],
  })
export type StandIn = typeof StandIn.Type

const ToolName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

export const ExpectedCall = Schema.Struct({
  tool: ToolName,
  arguments: Schema.optionalKey(
    Schema.JsonObject.annotate({
      description: 'What the arguments must have, among others. `{"$matches": "regex"}` stands for a text.',
    }),
  ),
  times: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "At least once if left out.",
    }),
  ),
}).annotate({ identifier: "ExpectedCall" })

const list = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMaxLength(50))
const atMost = (maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum }))

export const Expectations = Schema.Struct({
  called: Schema.optionalKey(list(ExpectedCall)),
  not_called: Schema.optionalKey(list(ToolName)),
  said: Schema.optionalKey(list(Pattern).annotate({ description: "By the agent, each in one of its utterances." })),
  never_said: Schema.optionalKey(list(Pattern)),
  outcome: Schema.optionalKey(Outcome),
  end_reason: Schema.optionalKey(EndReason),
  ended_by: Schema.optionalKey(Schema.Literals(["agent", "caller"])),
  result: Schema.optionalKey(
    Schema.JsonObject.annotate({ description: "What was recorded of the call must have this, among other things." }),
  ),
  turns_at_most: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
  seconds_at_most: Schema.optionalKey(atMost(14_400)),
  cost_at_most: Schema.optionalKey(atMost(1_000).annotate({ description: "US dollars." })),
})
  .check(Schema.makeFilter((one) => Object.keys(one).length > 0 || "must expect something"))
  .annotate({ identifier: "Expectations" })
export type Expectations = typeof Expectations.Type

/** Limits of one scenario's repeats, and of all calls of a run together. */
export const mostRepeats = 10
export const mostCalls = 100

const Repeat = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostRepeats }))

export const Scenario = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2_000))),
  caller: SimulatedCaller,
  variables: Schema.optionalKey(CallVariables),
  tools: Schema.optionalKey(
    Schema.Record(ToolName, StandIn).annotate({
      description:
        "By name. An http tool without one fails, and the scenario with it; python and built-in tools run as they are. Nothing that any of them writes to the account stays.",
    }),
  ),
  expect: Expectations,
  repeat: Schema.optionalKey(Repeat.annotate({ description: "Calls, each of which must pass; 1 if left out." })),
}).annotate({ identifier: "Scenario" })
export type Scenario = typeof Scenario.Type

const NewScenario = Schema.Struct({ ...Scenario.fields, name: DisplayNameInput }).annotate({
  identifier: "NewScenario",
  examples: [
    {
      name: "asks for the opening hours",
      caller: { says: ["What are your opening hours?", "Thank you, that was all."] },
      expect: { called: [{ tool: "lookup_faq" }], never_said: ["I do not know"], turns_at_most: 5 },
    },
  ],
})

export const Check = Schema.Struct({
  expectation: Schema.String,
  passed: Schema.Boolean,
  detail: Schema.String.annotate({ description: "What was found instead, in a sentence; empty where it holds." }),
}).annotate({ identifier: "ScenarioCheck" })
export type Check = typeof Check.Type

export const ScenarioCall = Schema.Struct({
  passed: Schema.Boolean,
  checks: Schema.Array(Check),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the call could not be held to its end." }),
  outcome: Schema.NullOr(Outcome),
  end_reason: Schema.NullOr(EndReason),
  turns: Schema.Int.annotate({ description: "Times that the agent spoke." }),
  duration_seconds: Schema.Finite.annotate({ description: "Of phone time." }),
  cost: Schema.Finite.annotate({ description: "US dollars: what the call would have cost." }),
  result: Schema.NullOr(Schema.JsonObject),
  transcript: Schema.Array(TranscriptEntry),
  tool_invocations: Schema.Array(ToolInvocation),
}).annotate({ identifier: "ScenarioCall" })
export type ScenarioCall = typeof ScenarioCall.Type

export const ScenarioResult = Schema.Struct({
  name: Schema.String,
  passed: Schema.Boolean.annotate({
    description: "Every call passed: one that passes now and then does not (pass^k).",
  }),
  calls_passed: Schema.Int,
  calls: Schema.Array(ScenarioCall),
}).annotate({ identifier: "ScenarioResult" })
export type ScenarioResult = typeof ScenarioResult.Type

const summary = {
  id: Schema.String,
  agent_id: AgentId,
  agent_version: Schema.Int.annotate({ description: "The version of the agent that was called." }),
  status: Schema.Literals(["running", "completed", "interrupted"]).annotate({
    description: "`interrupted`: its time was over, or the process that ran it is gone.",
  }),
  passed: Schema.NullOr(Schema.Boolean).annotate({ description: "Every scenario passed; null while it runs." }),
  counts: Schema.Struct({ scenarios: Schema.Int, passed: Schema.Int, failed: Schema.Int }),
  created_by: Schema.NullOr(VersionAuthor),
  created_at: Timestamp,
  ended_at: Schema.NullOr(Timestamp),
}

export const ScenarioRunSummary = Schema.Struct(summary).annotate({ identifier: "ScenarioRunSummary" })
export type ScenarioRunSummary = typeof ScenarioRunSummary.Type

export const ScenarioRun = Schema.Struct({
  ...summary,
  scenarios: Schema.Array(Scenario),
  results: Schema.Array(ScenarioResult).annotate({ description: "Of those that have ended, in their order." }),
}).annotate({ identifier: "ScenarioRun" })
export type ScenarioRun = typeof ScenarioRun.Type

export const NewScenarioRun = Schema.Struct({
  scenarios: Schema.optionalKey(
    Schema.Array(NewScenario)
      .check(Schema.isMinLength(1), Schema.isMaxLength(50))
      .annotate({ description: "Those of the agent's last run if left out." }),
  ),
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })).annotate({
      description: "The version of the agent to call; the present one if left out.",
    }),
  ),
  repeat: Schema.optionalKey(Repeat.annotate({ description: "Of scenarios that do not say it themselves." })),
}).annotate({
  identifier: "NewScenarioRun",
  examples: [
    {
      scenarios: [
        {
          name: "asks for the opening hours",
          caller: { says: ["What are your opening hours?", "Thank you, that was all."] },
          expect: { called: [{ tool: "lookup_faq" }], turns_at_most: 5 },
        },
      ],
    },
  ],
})
export type NewScenarioRun = typeof NewScenarioRun.Type
