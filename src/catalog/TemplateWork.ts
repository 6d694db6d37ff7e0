/** The jobs of templates, as workers run them. */
import { LiquidError } from "liquidjs"
import type { Schema } from "effect"
import { type Budget, isOutOfSteps, OutOfSteps } from "../offload/Budget.ts"
import type { Job } from "../offload/Job.ts"
import { templateFault } from "../domain/TemplateFault.ts"
import { asData, parse, render } from "./Liquid.ts"
import { analyse, type Missing, type Needed, sentenceWithout } from "./TemplateVariables.ts"

/** Why a text is not a valid template. Undefined if it is valid. */
export const faultInTemplate = (text: string, budget: Budget): string | undefined => {
  try {
    parse(text, budget)
    return undefined
  } catch (cause) {
    if (cause instanceof OutOfSteps) throw cause
    if (cause instanceof LiquidError) return templateFault(cause)
    return "is too long, or nested too deeply, for a template"
  }
}

interface Filling {
  readonly templates: ReadonlyArray<string>
  readonly variables: Schema.JsonObject
}

/** A text that cannot be filled in is returned as written, with the reason. */
interface Filled {
  readonly text: string
  readonly fault?: string
}

/** The maximum number of characters of a filled-in text: a loop may repeat a long text. */
const longestText = 200_000

export const fillTemplates = ({ templates, variables }: Filling, budget: Budget): ReadonlyArray<Filled> => {
  const since = performance.now()
  const scope = asData(variables, budget) as object
  return templates.map((template) => {
    try {
      return { text: render(parse(template, budget), scope, since, budget).slice(0, longestText) }
    } catch (cause) {
      if (isOutOfSteps(cause)) throw cause
      return { text: template, fault: String(cause) }
    }
  })
}

/** The first path segment of every variable in the templates. */
export const namesInTemplates = (templates: ReadonlyArray<string>, budget: Budget): ReadonlyArray<string> => [
  ...new Set(templates.flatMap((template) => analyse(template, budget).names)),
]

export const needsOfTemplate = (template: string, budget: Budget): ReadonlyArray<Needed> =>
  analyse(template, budget).needs

export const sentenceOfHole = (missing: Missing, budget: Budget): string | null => sentenceWithout(missing, budget)

const jobOf = <I, O>(work: Job<I, O>["work"]): Job<I, O> => ({ module: import.meta.url, work })
export const checking = jobOf(faultInTemplate)
export const filling = jobOf(fillTemplates)
export const naming = jobOf(namesInTemplates)
export const needing = jobOf(needsOfTemplate)
export const findingSentence = jobOf(sentenceOfHole)
