/**
 * Prompts are Liquid templates (decisions §2, Agent). They are the tenant's text, so all work on them goes through
 * Offload. What fills them in is data of contacts, and cannot become a part of the prompt.
 */
import { Effect, type Schema } from "effect"
import { invalid, tooCostly } from "../domain/Refusals.ts"
import * as Offload from "../offload/Offload.ts"
import type { Needed } from "./TemplateVariables.ts"
import { checking, filling, findingSentence, naming, needing } from "./TemplateWork.ts"

const templateFaults: ReadonlyArray<readonly [RegExp, (...found: ReadonlyArray<string>) => string]> = [
  [/^output ".*" not closed/s, () => "{{ is never closed"],
  [/^tag \{% *(\w+).* not closed/s, (_, tag = "") => `{% ${tag} %} has no {% end${tag} %}`],
  [/^tag ".*" not closed/s, () => "{% is never closed"],
  [/^tag "(.*?)" not found/s, (_, tag = "") => `there is no tag ${tag}`],
  [/^undefined filter: (\S+?),/s, (_, filter = "") => `there is no filter ${filter}`],
]

/** "line 7: {{ is never closed": the engine's own words name its parts, and these name the author's. */
const templateFault = ({ message, token }: LiquidError): string => {
  const [line] = token.getPosition()
  for (const [pattern, say] of templateFaults) {
    const found = pattern.exec(message)
    if (found !== null) return `line ${line}: ${say(...found)}`
  }
  return `line ${line}: ${message.replace(/, line:\d+, col:\d+$/, "")}`
}

/** Refuses a text that is no template, under the field's pointer. */
<<<<<<< HEAD
export const check = Effect.fn("Template.check")(function* (pointer: string, text: string) {
  const fault = yield* Effect.catchTag(Offload.run(checking, text), "Overrun", () =>
    tooCostly(pointer, "takes too long to read. Make it shorter, or nest it less deeply."),
=======
export const check = (pointer: string, text: string) =>
  Effect.try({
    try: () => engine.parse(text),
    catch: (cause) =>
      invalid(pointer, cause instanceof LiquidError ? templateFault(cause) : "is nested too deeply for a template"),
  }).pipe(Effect.asVoid)

/** Those of an installation's agents: a call is rendered as soon as it is answered, and others wait meanwhile. */
const mostKept = 200
const kept = new Map<string, Array<Template>>()

/** Its nodes keep nothing of a rendering. Of many templates the one that was made first is made anew. */
const parsedOnce = (template: string): Array<Template> => {
  const before = kept.get(template)
  if (before !== undefined) return before
  const parsed = engine.parse(template)
  const [oldest] = kept.keys()
  if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
  kept.set(template, parsed)
  return parsed
}

const isOutOfTime = (cause: unknown) => cause instanceof LiquidError && /render limit exceeded/.test(cause.message)

/**
 * Once more where its time was over: the time is the clock's, and a process that stood still in the middle of it said
 * `{{ first_name }}` to somebody. One that takes too long does so again.
 */
export const renderNodes = (nodes: Array<Template>, scope: object, options?: { readonly renderLimit: number }) => {
  try {
    return engine.renderSync(nodes, scope, options) as unknown
  } catch (cause) {
    if (!isOutOfTime(cause)) throw cause
    return engine.renderSync(nodes, scope, options) as unknown
  }
}

/** A template that takes too long or no longer parses is spoken as it stands: a call that has begun goes on. */
export const render = (template: string, variables: Schema.JsonObject) =>
  Effect.try({
    try: () => renderNodes(parsedOnce(template), asData(variables) as object),
    catch: (cause) => cause,
  }).pipe(
    Effect.map((text) => String(text).slice(0, longestText)),
    Effect.catch((cause) => Effect.as(Effect.logWarning("a template could not be rendered", String(cause)), template)),
>>>>>>> d256919 (Make the console safe by default and honest about ends: calling hours, a question before dialling, a checklist, stopped campaigns)
  )
  if (fault !== undefined) return yield* invalid(pointer, fault)
})

/** In their order. One that takes too long or no longer parses is spoken as it stands: a call that has begun goes on. */
export const renderAll = Effect.fnUntraced(function* (templates: ReadonlyArray<string>, variables: Schema.JsonObject) {
  const filled = yield* Offload.run(filling, { templates, variables }).pipe(
    Effect.catch((refusal) => Effect.succeed(templates.map((text) => ({ text, fault: refusal._tag })))),
  )
  for (const { fault } of filled) {
    if (fault !== undefined) yield* Effect.logWarning("a template could not be rendered", fault)
  }
  return filled.map(({ text }) => text)
})

export const render = (template: string, variables: Schema.JsonObject) =>
  Effect.map(renderAll([template], variables), ([text = template]) => text)

/** The first parts of every variable in the templates; none of those that take too long to read. */
export const namesIn = (templates: ReadonlyArray<string>) =>
  Effect.orElseSucceed(Offload.run(naming, templates), (): ReadonlyArray<string> => [])

/** The variables that a template speaks as they are. */
export const needsOf = (template: string) =>
  Effect.orElseSucceed(Offload.run(needing, template), (): ReadonlyArray<Needed> => [])

/** The first sentence in which the variable's value would stand, without it; null where no sentence says it as it is. */
export const sentenceWithout = (template: string, needed: Needed, variables: Schema.JsonObject) =>
  Effect.orElseSucceed(Offload.run(findingSentence, { template, needed, variables }), () => null)

/** The variables of the templates (decisions §2, Agent). `phone_number` and `now` are the call's, whatever a column says. */
export const variables = (custom: Schema.JsonObject, phone_number: string | null, now: Date): Schema.JsonObject => ({
  campaign: { name: "" },
  ...custom,
  ...(phone_number === null ? {} : { phone_number }),
  now: now.toISOString(),
})
