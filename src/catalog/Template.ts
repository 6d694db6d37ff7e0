/**
 * Prompts are Liquid templates (decisions §2, Agent). They are the tenant's text: no files, no partials, bounded work,
 * own properties of the variables alone.
 */
import { Liquid, LiquidError } from "liquidjs"
import { Effect } from "effect"
import { invalid } from "../domain/Refusals.ts"

/** Longer than any prompt that is stored. */
const longestTemplate = 200_000
/** Milliseconds, and units of memory of the engine's own count, that one rendering may take. */
const renderLimit = 250
const memoryLimit = 2_000_000

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
