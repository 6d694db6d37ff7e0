/** The template engine: no files, no partials, only own properties of the variables, and bounded work. */
import { Liquid, type Template, Tokenizer, TokenKind } from "liquidjs"
import type { Schema } from "effect"
import { type Budget, isOutOfSteps, OutOfSteps } from "../offload/Budget.ts"
import { countSteps, renderWithin } from "./FilterSteps.ts"

/** The maximum number of characters of a template: more than any stored prompt has. */
const longestTemplate = 200_000

/**
 * Limits of one rendering, in this process and in a worker: `renderLimit` in milliseconds, `memoryLimit` in units of
 * memory as the engine counts them.
 */
const here = { renderLimit: 10, memoryLimit: 20_000 }
const inWorker = { renderLimit: 1_000, memoryLimit: 2_000_000 }

/**
 * An unknown filter is a fault when the template is saved. A missing variable renders as nothing, because a call must
 * continue.
 */
export const engine = new Liquid({
  strictFilters: true,
  strictVariables: false,
  ownPropertyOnly: true,
  parseLimit: longestTemplate,
  ...inWorker,
})
for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag]
countSteps(engine)

/**
 * The number of parsed templates to keep: those of an installation's agents, since a call's templates are rendered as
 * soon as it is answered.
 */
const mostKept = 200
const kept = new Map<string, Array<Template>>()

/** The texts of a template's tags and outputs. Throws if one is never closed. */
export const codeOf = (template: string): ReadonlyArray<string> =>
  new Tokenizer(template, engine.options.operators)
    .readTopLevelTokens(engine.options)
    .filter(({ kind }) => kind !== TokenKind.HTML)
    .map((token) => token.getText())

/** The number of steps to parse a template that is not in the cache. A character of code takes up to 4 µs. */
const parseSteps = (template: string): number =>
  codeOf(template).reduce((steps, { length }) => steps + 20 + 3 * length, 0)

/**
 * Parses a template, or returns the cached nodes, which hold no state of a rendering. The oldest entry is evicted when
 * there are too many.
 */
export const parse = (template: string, budget: Budget): Array<Template> => {
  budget.spend(template.length / 8)
  const before = kept.get(template)
  if (before !== undefined) return before
  budget.spend(parseSteps(template))
  const parsed = engine.parse(template)
  const [oldest] = kept.keys()
  if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
  kept.set(template, parsed)
  return parsed
}

/** Whether a limit was exceeded. The engine throws an error bare, or wrapped with the place in the template. */
const passesLimit = (cause: unknown) =>
  cause instanceof Error && (/limit exceeded/u.test(cause.message) || isOutOfSteps(originOf(cause)))

const originOf = (cause: Error): unknown => ("originalError" in cause ? cause.originalError : cause)

/**
 * Renders a template. `since` is the time by `performance.now()` at which the whole work began. Throws if the text
 * cannot be filled in.
 */
export const render = (nodes: Array<Template>, scope: object, since: number, budget: Budget): string => {
  const limits = budget.isUnlimited ? inWorker : here
  try {
    const renderLimit = Math.max(1, since + limits.renderLimit - performance.now())
    return renderWithin(budget, () => String(engine.renderSync(nodes, scope, { ...limits, renderLimit })))
  } catch (cause) {
    // A worker has more time and memory: the work starts again there.
    if (!budget.isUnlimited && passesLimit(cause)) throw new OutOfSteps("The template takes longer to fill in")
    throw cause
  }
}

/**
 * Characters that are replaced by a space: line ends, control characters, and the invisible direction overrides and tag
 * letters of Unicode.
 */
const unspeakable = /[\p{Cc}\p{Zl}\p{Zp}\u{202A}-\u{202E}\u{2066}-\u{2069}\u{E0000}-\u{E007F}]+/gu

/**
 * The value with each text on one line, so that a heading, a cue or a list of rules in a contact list stays inside its
 * sentence.
 */
export const asData = (value: Schema.Json, budget: Budget): Schema.Json => {
  if (typeof value === "string") {
    budget.spend(1 + value.length / 8)
    return value.replace(unspeakable, " ")
  }
  budget.spend(2)
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map((item: Schema.Json) => asData(item, budget))
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, asData(part, budget)]))
}
