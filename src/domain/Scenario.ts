/** A rehearsal of a call: its caller, the tools' answers and the expectations; and the result of running it. */
import { Schema } from "effect"
import { AgentId, Model } from "./Agent.ts"
import { VersionAuthor } from "./AgentVersion.ts"
import { CallVariables, EndReason, Outcome, ToolFailure, ToolInvocation, TranscriptEntry } from "./Call.ts"
import { DisplayNameInput, Name } from "./Name.ts"
import { CreatedAt, Timestamp } from "./Timestamp.ts"

const Words = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))
const Pattern = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500)).annotate({
  description: "A regular expression (RE2). It may match anywhere in the text and ignores case.",
})

/** How many of these keys an object has. */
const countKeys = (value: object, keys: ReadonlyArray<string>) => keys.filter((key) => Object.hasOwn(value, key)).length

const acts = ["say", "wait", "hang_up", "barge_in"] as const

export const CallerStep = Schema.Struct({
  when: Schema.optionalKey(
    Pattern.annotate({ description: "Use this step only if the agent's words match this pattern." }),
  ),
  say: Schema.optionalKey(Words.annotate({ description: "What the caller says." })),
  wait: Schema.optionalKey(Schema.Literal(true).annotate({ description: "The caller stays silent." })),
  hang_up: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "The caller hangs up, after `say` if it is present." }),
  ),
  barge_in: Schema.optionalKey(
    Words.annotate({
      description: "What the caller says while the agent is speaking its next words, to interrupt it.",
    }),
  ),
  after_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 })).annotate({
      description: "Milliseconds of the agent's speech before `barge_in` begins. Defaults to 1200.",
    }),
  ),
})
  .check(
    Schema.makeFilter((step) => {
      const count = countKeys(step, acts)
      const both = count === 2 && step.say !== undefined && step.hang_up !== undefined
      return count === 1 || both || "must have one of say, wait, hang_up and barge_in"
    }),
  )
  .annotate({ identifier: "CallerStep", examples: [{ when: "another day", say: "The 14th of March." }] })
export type CallerStep = typeof CallerStep.Type

const kinds = ["says", "voicemail", "persona"] as const

export const SimulatedCaller = Schema.Struct({
  opening: Schema.optionalKey(
    Schema.NullOr(Words).annotate({
      description: "What the caller says first. Defaults to `Hello?`. With null the caller waits for the agent.",
    }),
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
          "A scripted caller. Each time the agent has spoken, the caller takes the first remaining step that fits. After the last step the caller says goodbye. A plain text is a step that always fits.",
      }),
  ),
  voicemail: Schema.optionalKey(
    Words.annotate({ description: "A voicemail answers: it plays this greeting and then a tone." }),
  ),
  persona: Schema.optionalKey(
    Words.annotate({ description: "A language model plays the caller. This text says who the caller is." }),
  ),
  goal: Schema.optionalKey(
    Words.annotate({ description: "What the caller wants from the call. Only with `persona`." }),
  ),
  model: Schema.optionalKey(
    Model.annotate({ description: "The language model that plays the caller. Defaults to the agent's model." }),
  ),
})
  .annotate({ description: "The caller that the agent talks with: scripted, a voicemail, or played by a model." })
  .check(
    Schema.makeFilter((caller) => {
      if (countKeys(caller, kinds) !== 1) return "must have one of says, voicemail and persona"
      const needsPersona = caller.goal !== undefined || caller.model !== undefined
      return !needsPersona || caller.persona !== undefined || "may have goal and model only together with persona"
    }),
  )
  .annotate({ identifier: "SimulatedCaller" })
export type SimulatedCaller = typeof SimulatedCaller.Type

const answers = ["result", "results", "error", "real"] as const

export const StandIn = Schema.Struct({
  result: Schema.optionalKey(Schema.Json).annotate({ description: "The result of every invocation." }),
  results: Schema.optionalKey(
    Schema.Array(Schema.Json)
      .check(Schema.isMinLength(1), Schema.isMaxLength(50))
      .annotate({ description: "The results of successive invocations. The last one is repeated." }),
  ),
  error: Schema.optionalKey(ToolFailure),
  real: Schema.optionalKey(Schema.Literal(true).annotate({ description: "The tool itself runs." })),
})
  .check(
    Schema.makeFilter((one) => countKeys(one, answers) === 1 || "must have one of result, results, error and real"),
  )
  .annotate({
    identifier: "StandIn",
    description: "What a tool answers in a scenario.",
    examples: [{ result: { free: 3 } }],
  })
export type StandIn = typeof StandIn.Type

const ToolName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

export const ExpectedCall = Schema.Struct({
  tool: ToolName.annotate({ description: "The name of the tool." }),
  arguments: Schema.optionalKey(
    Schema.JsonObject.annotate({
      description:
        'Fields that the arguments must contain; other fields may be present. `{"$matches": "regex"}` matches a text by a regular expression.',
    }),
  ),
  times: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "The exact number of matching invocations. If you omit it, at least one is expected.",
    }),
  ),
}).annotate({ identifier: "ExpectedCall" })

const list = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMaxLength(50))
const atMost = (maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum }))

export const Expectations = Schema.Struct({
  called: Schema.optionalKey(
    list(ExpectedCall).annotate({ description: "Invocations that must occur, in any order." }),
  ),
  not_called: Schema.optionalKey(list(ToolName).annotate({ description: "Tools that must not be invoked." })),
  said: Schema.optionalKey(
    list(Pattern).annotate({ description: "Patterns, each of which one of the agent's utterances must match." }),
  ),
  never_said: Schema.optionalKey(
    list(Pattern).annotate({ description: "Patterns that none of the agent's utterances may match." }),
  ),
  outcome: Schema.optionalKey(Outcome),
  end_reason: Schema.optionalKey(EndReason),
  ended_by: Schema.optionalKey(
    Schema.Literals(["agent", "caller"]).annotate({ description: "The side that must end the call." }),
  ),
  result: Schema.optionalKey(
    Schema.JsonObject.annotate({
      description: "Fields that the call's recorded result must contain; other fields may be present.",
    }),
  ),
  turns_at_most: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })).annotate({
      description: "The maximum number of the agent's turns.",
    }),
  ),
  seconds_at_most: Schema.optionalKey(
    atMost(14_400).annotate({ description: "The maximum length of the call, in seconds of phone time." }),
  ),
  cost_at_most: Schema.optionalKey(
    atMost(1_000).annotate({ description: "The maximum cost of the call in US dollars." }),
  ),
})
  .annotate({ description: "What the call must fulfil. The call passes if every expectation is met." })
  .check(Schema.makeFilter((one) => Object.keys(one).length > 0 || "must expect something"))
  .annotate({ identifier: "Expectations" })
export type Expectations = typeof Expectations.Type

/** Limits of one scenario's repeats, and of all calls of a run together. */
export const mostRepeats = 10
export const mostCalls = 100

const Repeat = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostRepeats }))

const scenarioName = { description: "What the scenario shows, for people. Results repeat it." }

export const Scenario = Schema.Struct({
  name: Name.annotate(scenarioName),
  description: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(2_000)).annotate({ description: "A note for people. It has no effect." }),
  ),
  caller: SimulatedCaller,
  variables: Schema.optionalKey(CallVariables),
  tools: Schema.optionalKey(
    Schema.Record(ToolName, StandIn).annotate({
      description:
        "Answers of tools, by tool name. An http tool without an entry fails, and so does the scenario. Python and built-in tools without an entry run as usual. Nothing that a tool writes to the account is kept.",
    }),
  ),
  expect: Expectations,
  repeat: Schema.optionalKey(
    Repeat.annotate({
      description: "The number of calls to run. The scenario passes only if every call passes. Defaults to 1.",
    }),
  ),
}).annotate({ identifier: "Scenario" })
export type Scenario = typeof Scenario.Type

const NewScenario = Schema.Struct({ ...Scenario.fields, name: DisplayNameInput.annotate(scenarioName) }).annotate({
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
  expectation: Schema.String.annotate({ description: "The expectation in words, such as `turns at most 5`." }),
  passed: Schema.Boolean.annotate({ description: "Whether the expectation is met." }),
  detail: Schema.String.annotate({
    description: "A sentence about what was found instead. Empty if the expectation is met.",
  }),
}).annotate({ identifier: "ScenarioCheck" })
export type Check = typeof Check.Type

export const ScenarioCall = Schema.Struct({
  passed: Schema.Boolean.annotate({ description: "True if the call was completed and every check passed." }),
  checks: Schema.Array(Check).annotate({ description: "The result of each expectation." }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the call could not be completed. Null if it was." }),
  outcome: Schema.NullOr(Outcome),
  end_reason: Schema.NullOr(EndReason),
  turns: Schema.Int.annotate({ description: "How many times the agent spoke." }),
  duration_seconds: Schema.Finite.annotate({ description: "Seconds of phone time." }),
  cost: Schema.Finite.annotate({ description: "What the call would have cost, in US dollars." }),
  result: Schema.NullOr(Schema.JsonObject).annotate({
    description: "What `record_outcome` and `schedule_callback` recorded. Null if nothing was.",
  }),
  transcript: Schema.Array(TranscriptEntry).annotate({
    description: "What was said, in the order in which it was heard.",
  }),
  tool_invocations: Schema.Array(ToolInvocation).annotate({ description: "The tools that the agent invoked." }),
}).annotate({ identifier: "ScenarioCall" })
export type ScenarioCall = typeof ScenarioCall.Type

export const ScenarioResult = Schema.Struct({
  name: Schema.String.annotate({ description: "The scenario's name." }),
  passed: Schema.Boolean.annotate({
    description: "True if every call of the scenario passed.",
  }),
  calls_passed: Schema.Int.annotate({ description: "The number of calls that passed." }),
  calls: Schema.Array(ScenarioCall).annotate({ description: "The scenario's calls: as many as its `repeat`." }),
}).annotate({ identifier: "ScenarioResult" })
export type ScenarioResult = typeof ScenarioResult.Type

const summary = {
  id: Schema.String.annotate({ description: "The run's UUID, assigned by Parley." }),
  agent_id: AgentId.annotate({ description: "The agent that is rehearsed." }),
  agent_version: Schema.Int.annotate({ description: "The version of the agent that took the calls." }),
  status: Schema.Literals(["running", "completed", "interrupted"]).annotate({
    description: "`interrupted`: the run reached its time limit, or the process that ran it ended.",
  }),
  passed: Schema.NullOr(Schema.Boolean).annotate({
    description: "True if every scenario passed. Null while the run is in progress.",
  }),
  counts: Schema.Struct({
    scenarios: Schema.Int.annotate({ description: "The scenarios of the run." }),
    passed: Schema.Int.annotate({ description: "The scenarios that have passed so far." }),
    failed: Schema.Int.annotate({ description: "The scenarios that have failed so far." }),
  }).annotate({ description: "The number of scenarios by result." }),
  created_by: Schema.NullOr(VersionAuthor),
  created_at: CreatedAt,
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "When the run ended. Null while it is in progress." }),
}

export const ScenarioRunSummary = Schema.Struct(summary).annotate({ identifier: "ScenarioRunSummary" })
export type ScenarioRunSummary = typeof ScenarioRunSummary.Type

export const ScenarioRun = Schema.Struct({
  ...summary,
  scenarios: Schema.Array(Scenario).annotate({ description: "The scenarios of the run, in the order of the request." }),
  results: Schema.Array(ScenarioResult).annotate({
    description: "The results of the scenarios that have ended, in the order of `scenarios`.",
  }),
}).annotate({ identifier: "ScenarioRun" })
export type ScenarioRun = typeof ScenarioRun.Type

export const NewScenarioRun = Schema.Struct({
  scenarios: Schema.optionalKey(
    Schema.Array(NewScenario)
      .check(Schema.isMinLength(1), Schema.isMaxLength(50))
      .annotate({ description: "The scenarios to run. Defaults to those of the agent's last run." }),
  ),
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })).annotate({
      description: "The version of the agent to call. Defaults to the present version.",
    }),
  ),
  repeat: Schema.optionalKey(
    Repeat.annotate({ description: "The default `repeat` of scenarios that do not set their own." }),
  ),
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
