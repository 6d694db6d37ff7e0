/**
 * Prompts are Liquid templates (decisions §2, Agent). They are tenants' text, so all work on them goes through Offload.
 * The values that fill them are data of contacts, and cannot become a part of the prompt.
 */
import { Effect, type Schema } from "effect"
import { invalid, tooCostly } from "../domain/Refusals.ts"
import * as Offload from "../offload/Offload.ts"
import type { Missing, Needed } from "./TemplateVariables.ts"
import { checking, filling, findingSentence, naming, needing } from "./TemplateWork.ts"

/** Refuses a text that is not a valid template, with the field's pointer. */
export const check = Effect.fn("Template.check")(function* (pointer: string, text: string) {
  const fault = yield* Effect.catchTag(Offload.run(checking, text), "Overrun", () =>
    tooCostly(pointer, "takes too long to read. Make it shorter, or nest it less deeply."),
  )
  if (fault !== undefined) return yield* invalid(pointer, fault)
})

/**
 * Returns the filled-in texts in the order of the templates. A template that takes too long or no longer parses is
 * spoken as written, because a call that has begun must continue.
 */
export const renderAll = Effect.fnUntraced(function* (templates: ReadonlyArray<string>, variables: Schema.JsonObject) {
  const filled = yield* Offload.run(filling, { templates, variables }).pipe(
    Effect.catch((refusal) => Effect.succeed(templates.map((text) => ({ text, fault: refusal._tag })))),
  )
  for (const { fault } of filled) {
    if (fault !== undefined) yield* Effect.logWarning("template rendering failed", fault)
  }
  return filled.map(({ text }) => text)
})

export const render = (template: string, variables: Schema.JsonObject) =>
  Effect.map(renderAll([template], variables), ([text = template]) => text)

/** The first path segment of every variable in the templates. Empty if the templates take too long to read. */
export const namesIn = (templates: ReadonlyArray<string>) =>
  Effect.orElseSucceed(Offload.run(naming, templates), (): ReadonlyArray<string> => [])

/** The variables that a template speaks as they are (see `Needed`). */
export const needsOf = (template: string) =>
  Effect.orElseSucceed(Offload.run(needing, template), (): ReadonlyArray<Needed> => [])

/**
 * The first sentence in which the variable's value would occur, rendered without it; null if no sentence contains it
 * directly.
 */
export const sentenceWithout = (missing: Missing) =>
  Effect.orElseSucceed(Offload.run(findingSentence, missing), () => null)

/**
 * The variables of the templates (decisions §2, Agent). `phone_number` and `now` are the call's, even if a column has
 * the name.
 */
export const variables = (custom: Schema.JsonObject, phone_number: string | null, now: Date): Schema.JsonObject => ({
  campaign: { name: "" },
  ...custom,
  ...(phone_number === null ? {} : { phone_number }),
  now: now.toISOString(),
})
