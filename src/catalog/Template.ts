/**
 * Prompts are Liquid templates (decisions §2, Agent). They are the tenant's text: no files, no partials, bounded work,
 * own properties of the variables alone. What fills them in is data of contacts, and cannot become a part of the prompt.
 */
import { Liquid, LiquidError, type Template } from "liquidjs"
import { Effect, type Schema } from "effect"
import { invalid } from "../domain/Refusals.ts"

/** Longer than any prompt that is stored. */
const longestTemplate = 200_000
/** Milliseconds, and units of memory of the engine's own count, that one rendering may take. */
const renderLimit = 250
const memoryLimit = 2_000_000
/** A loop may repeat what is long. */
const longestText = 200_000

/** A filter that is unknown is a fault on write; a variable that is missing renders as nothing, since a call must go on. */
export const engine = new Liquid({
  strictFilters: true,
  strictVariables: false,
  ownPropertyOnly: true,
  parseLimit: longestTemplate,
  renderLimit,
  memoryLimit,
})
for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag]

/** Refuses a text that is no template, under the field's pointer. */
export const check = (pointer: string, text: string) =>
  Effect.try({
    try: () => engine.parse(text),
    catch: (cause) =>
      invalid(
        pointer,
        cause instanceof LiquidError ? `is no valid template: ${cause.message}` : "is nested too deeply for a template",
      ),
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
  )

/** The variables of the templates (decisions §2, Agent). `phone_number` and `now` are the call's, whatever a column says. */
export const variables = (custom: Schema.JsonObject, phone_number: string | null, now: Date): Schema.JsonObject => ({
  campaign: { name: "" },
  ...custom,
  ...(phone_number === null ? {} : { phone_number }),
  now: now.toISOString(),
})

/** Line ends and control characters; signs that nobody sees: overrides of direction, and the letters of tags. */
const unspeakable = /[\p{Cc}\p{Zl}\p{Zp}\u{202A}-\u{202E}\u{2066}-\u{2069}\u{E0000}-\u{E007F}]+/gu

/** On one line: a heading, a cue or a list of rules that somebody wrote into a contact list stays in its sentence. */
export const asData = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return value.replace(unspeakable, " ")
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(asData)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, asData(part)]))
}
