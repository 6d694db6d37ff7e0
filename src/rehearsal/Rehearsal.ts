/**
 * Trials without a call: one invocation of a tool, or one turn of an agent in text (decisions §1). Built-in tools that
 * act on a call only report what they would do; those that look up or record something in the account do it.
 */
import { Clock, Effect, type Schema } from "effect"
import { v7 as uuidv7 } from "uuid"
import type { Message } from "../brain/Brain.ts"
import * as Prompt from "../brain/Prompt.ts"
import * as Turn from "../brain/Turn.ts"
import * as AgentKit from "../catalog/AgentKit.ts"
import * as Template from "../catalog/Template.ts"
import * as Tools from "../catalog/Tools.ts"
import type { ToolFailure, ToolInvocation } from "../domain/Call.ts"
import { isObject, textIn } from "../domain/JsonValue.ts"
import { Invalid, type Issue, TooCostly } from "../domain/Refusals.ts"
import type { AgentDraft, ToolDraft } from "../domain/Rehearsal.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { allFaqs } from "../tools/builtin/lookupFaq.ts"
import * as CallControls from "../tools/CallControls.ts"
import * as Invocation from "../tools/Invocation.ts"
import type { ToolRunner } from "../tools/ToolRunner.ts"
import { PreviewLimit } from "./PreviewLimit.ts"

export { BrainFailed } from "../brain/Brain.ts"

export interface ToolTrial {
  readonly arguments?: Schema.JsonObject
  readonly context?: Schema.JsonObject
  readonly config?: Schema.JsonObject
  /** Unsaved fields, used in place of the saved ones. */
  readonly tool?: ToolDraft
}

export interface ToolAnswer {
  readonly result?: Schema.Json
  readonly error?: ToolFailure
  readonly duration_ms: number
  readonly logs: ReadonlyArray<string>
}

/**
 * Invokes a tool once. `context` may contain `phone_number`, `variables`, and `agent_id`, whose FAQs and outcome_schema
 * are then used.
 */
export const invokeTool = Effect.fn("Rehearsal.invokeTool")(function* (idOrName: string, trial: ToolTrial) {
  const { arguments: args = {}, config = {}, context = {} } = trial
  const tenant = yield* CurrentTenant
  const tool = { ...(yield* Tools.findToRun(idOrName, trial.tool).pipe(Effect.mapError(under("/tool")))), config }
  const faults = yield* Effect.mapError(Invocation.faultsOf(tool, args), under("/arguments"))
  if (faults.length > 0) return yield* under("/arguments")(new Invalid({ errors: faults }))
  const agent = textIn(context, "agent_id")
  const kit = agent === undefined ? undefined : yield* AgentKit.find(agent)
  // Before the tool runs, since it may act in another system.
  yield* Effect.orDie(AuditTrail.write())
  const began = yield* Clock.currentTimeMillis
  const ended = yield* Effect.result(
    Invocation.run(
      tool,
      args,
      {
        call_id: null,
        phone_number: textIn(context, "phone_number") ?? null,
        variables: isObject(context["variables"]) ? context["variables"] : {},
        time_zone: tenant.account.time_zone,
        about: context,
        controls: CallControls.none,
        faq_ids: kit === undefined ? yield* allFaqs() : kit.faqs.map(({ id }) => id),
        outcome_schema: kit?.agent.outcome_schema ?? null,
        dispositions: kit?.agent.dispositions ?? [],
        digits: null,
      },
      uuidv7(),
    ),
  )
  const duration_ms = (yield* Clock.currentTimeMillis) - began
  const answer: ToolAnswer =
    ended._tag === "Success"
      ? { ...ended.success, duration_ms }
      : {
          error: { code: ended.failure.code, message: ended.failure.reason },
          duration_ms,
          logs: ended.failure.logs ?? [],
        }
  return answer
})

/** Prefixes the pointers of faults with the part's place in the trial. */
const under =
  (place: string) =>
  <E>(refusal: E): E | Invalid | TooCostly => {
    const within = (errors: ReadonlyArray<Issue>) =>
      errors.map((error) => ({ ...error, pointer: place + error.pointer }))
    if (refusal instanceof Invalid) return new Invalid({ errors: within(refusal.errors) })
    return refusal instanceof TooCostly ? new TooCostly({ errors: within(refusal.errors) }) : refusal
  }

export interface TurnTrial {
  readonly messages?: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly content: string }>
  readonly variables?: Schema.JsonObject
  /** Unsaved fields, used in place of the saved ones. */
  readonly agent?: AgentDraft
}

const applyDraft = Effect.fnUntraced(function* (kit: AgentKit.AgentKit, draft: AgentDraft | undefined) {
  if (draft === undefined) return kit
  yield* Template.check("/agent/system_prompt", draft.system_prompt ?? "")
  yield* Template.check("/agent/first_message", draft.first_message ?? "")
  return { ...kit, agent: { ...kit.agent, ...draft } }
})

/**
 * The conversation so far in the form that an agent has on a call, where it always greets first. A conversation that
 * begins with the person's words continues after the greeting, so that the next turn answers them.
 */
const afterGreeting = (greeting: string, messages: NonNullable<TurnTrial["messages"]>): ReadonlyArray<Message> => {
  const history = messages.map(({ content, role }): Message => ({
    role: role === "user" ? "caller" : "agent",
    text: content,
  }))
  return history[0]?.role === "caller" && greeting !== "" ? [{ role: "agent", text: greeting }, ...history] : history
}

/** The agent's next words after `messages`, or its greeting if there are none. */
export const preview = Effect.fn("Rehearsal.preview")(function* (idOrName: string, trial: TurnTrial) {
  const { account } = yield* CurrentTenant
  const limit = yield* PreviewLimit
  return yield* limit.within(account.slug)(takeTurn(idOrName, trial))
})

const takeTurn = Effect.fnUntraced(function* (idOrName: string, trial: TurnTrial) {
  const tenant = yield* CurrentTenant
  const kit = yield* applyDraft(yield* AgentKit.find(idOrName), trial.agent)
  const now = new Date(yield* Clock.currentTimeMillis)
  const variables = Prompt.variables(trial.variables ?? {}, null, now)
  const prompt = yield* Prompt.render(kit, variables)
  const { time_zone } = tenant.account
  const tool_invocations: Array<ToolInvocation> = []
  const context = yield* Effect.context<ToolRunner | Effect.Services<ReturnType<typeof Invocation.invoke>>>()
  const reply = yield* Turn.take({
    briefing: { kit, prompt, time_zone },
    history: afterGreeting(prompt.first_message, trial.messages ?? []),
    invoke: (name, args) =>
      Invocation.invoke(kit, name, args, {
        call_id: null,
        phone_number: null,
        variables,
        time_zone,
        about: { agent: { id: kit.agent.id, name: kit.agent.name }, call: null, contact: null, campaign: null },
        controls: CallControls.none,
        faq_ids: kit.faqs.map(({ id }) => id),
        outcome_schema: kit.agent.outcome_schema,
        dispositions: kit.agent.dispositions,
        digits: null,
      }).pipe(
        Effect.tap((invocation) => Effect.sync(() => tool_invocations.push(invocation))),
        Effect.provideContext(context),
      ),
  })
  return { reply, tool_invocations, prompt: prompt.text }
})
