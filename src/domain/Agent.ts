/** An agent: a prompt, a voice, a model, and its behaviour on the line (spec §2; decisions §2, Agent). */
import { Schema } from "effect"
import { Dispositions } from "./Disposition.ts"
import { Name } from "./Name.ts"
import { CreatedAt, UpdatedAt } from "./Timestamp.ts"

export const AgentId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

/** Names of providers and of their voices and models. The calls room knows which of them exist. */
const ProviderName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_-]{0,63}$/u, { message: "must be the name of a provider, such as lab" }),
)
const ProviderItem = Schema.String.check(
  Schema.isPattern(/^[\p{L}\p{N}][\p{L}\p{N} ._:/@+-]{0,199}$/u, { message: "must be an id that the provider uses" }),
)

export const Voice = Schema.Struct({
  provider: ProviderName.annotate({
    description:
      "`openai`, `elevenlabs` or `espeak`, where the installation has it, or `openai-realtime` for an agent with that model; with any other name the agent gets the installation's own voice.",
  }),
  id: ProviderItem.annotate({ description: "The voice's id at that provider." }),
  speed: Schema.Finite.check(Schema.isBetween({ minimum: 0.25, maximum: 4 })).annotate({
    description: "Speaking rate; 1 is normal.",
  }),
}).annotate({
  identifier: "Voice",
  description: "The voice that the agent speaks with.",
  examples: [{ provider: "lab", id: "default", speed: 1 }],
})
export type Voice = typeof Voice.Type

export const Model = Schema.Struct({
  provider: ProviderName.annotate({
    description:
      "`scripted`, the built-in brain for tests, or a provider that the installation has a key for, such as `openai`. A model of `openai-realtime` hears and speaks itself; where there is no sound, the installation's `OPENAI_REALTIME_TEXT_MODEL` answers.",
  }),
  id: ProviderItem.annotate({ description: "The model's id at that provider." }),
}).annotate({
  identifier: "Model",
  description: "The language model that decides what the agent says and does.",
  examples: [{ provider: "scripted", id: "scripted" }],
})
export type Model = typeof Model.Type

export const VoicemailAction = Schema.Literals(["hang_up", "leave_message"]).annotate({
  description:
    "What the agent does when a voicemail answers. A new agent has `hang_up` by default. With `hang_up` the campaign retries the contact; with `leave_message` the contact is completed.",
})
export type VoicemailAction = typeof VoicemailAction.Type

/** The longest `max_call_seconds`. */
export const longestCallSeconds = 14_400

/** A language by its BCP 47 tag: `en`, `de-AT`, `zh-Hans`. */
export const Language = Schema.String.check(
  Schema.isPattern(/^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8}){0,4}$/u, {
    message: "must be a BCP 47 language tag, such as en or de-AT",
  }),
)

export const OptOutKey = Schema.String.check(
  Schema.isPattern(/^[0-9*#]$/u, { message: "must be one key of a telephone: 0 to 9, * or #" }),
)

const seconds = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

export const Agent = Schema.Struct({
  id: AgentId.annotate({ description: "The agent's UUID, assigned by Parley." }),
  name: Name.annotate({ description: "Unique within the account. Paths accept it in place of the id." }),
  description: Schema.String.check(Schema.isMaxLength(10_000)).annotate({
    description: "A note for people. The language model does not see it.",
  }),
  system_prompt: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100_000)).annotate({
    description:
      'A Liquid template, such as {{first_name | default: "there"}}. Its variables are the contact\'s custom_fields, phone_number, campaign.name and now.',
  }),
  first_message: Schema.String.check(Schema.isMaxLength(5_000)).annotate({
    description:
      "What the agent says first. A Liquid template. If it is empty, the agent waits for the other party to speak.",
  }),
  language: Language.annotate({
    description: "The language of the calls, as a BCP 47 tag. A new agent has `en` by default.",
  }),
  voice: Voice,
  model: Model,
  temperature: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })).annotate({
    description: "The sampling temperature of the language model. A new agent has 0.3 by default.",
  }),
  max_call_seconds: seconds(10, longestCallSeconds).annotate({
    description:
      "The maximum length of a call in seconds. The call is ended when it is reached. A new agent has 600 by default.",
  }),
  silence_timeout_seconds: seconds(2, 120).annotate({
    description: "Seconds of silence after which the agent ends the call. A new agent has 10 by default.",
  }),
  interruptible: Schema.Boolean.annotate({
    description: "Whether the caller can interrupt the agent. A new agent has true by default.",
  }),
  voicemail_action: VoicemailAction,
  recording: Schema.Boolean.annotate({
    description:
      "Whether calls are recorded. Only calls whose sound passes through Parley can be: over SIP, and voice calls in web pages. A new agent has false by default.",
  }),
  recording_notice: Schema.String.check(Schema.isMaxLength(1_000)).annotate({
    description:
      "What the agent says before anything else on a call that is recorded. Plain text, not a template. It cannot be interrupted, and the other party is recorded only after it was heard to its end. A new agent has none by default.",
  }),
  disclosure: Schema.String.check(Schema.isMaxLength(2_000)).annotate({
    description:
      "What the agent says before anything else on every call, such as who calls and that the voice is automated. A Liquid template. It cannot be interrupted, and the call's `disclosure` tells how much of it was heard. A new agent has none by default.",
  }),
  opt_out_key: Schema.NullOr(OptOutKey).annotate({
    description:
      "The key with which a called person asks not to be called again. The agent says so after the disclosure, in its language, on calls that Parley places over a line that reports keys: SIP and media streams. Null: no key does.",
  }),
  outcome_schema: Schema.NullOr(Schema.JsonObject).annotate({
    description:
      "JSON Schema of the object that `record_outcome` accepts. Its properties become columns of results.csv. If the agent records nothing, they are read from the transcript after the call. Null accepts any object.",
  }),
  dispositions: Dispositions,
  is_default: Schema.Boolean.annotate({
    description: "Whether the agent is built in. Parley has no built-in agents, so it is false.",
  }),
  version: Schema.Int.annotate({
    description:
      "The number of the present version. It increases by one with each change of the agent's fields, tools, playbooks or FAQs.",
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({ identifier: "Agent" })
export type Agent = typeof Agent.Type
/** Read-only fields that a client may send back. */
export const agentReadOnly = ["id", "is_default", "version", "created_at", "updated_at"] as const
