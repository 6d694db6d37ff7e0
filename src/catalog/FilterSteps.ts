/**
 * The steps that a filter of a template takes. The engine limits a filter's memory alone, and some filters use much time
 * and little memory: they evaluate an expression for each item, or have `Intl` format a name of the calendar.
 */
import type { Liquid } from "liquidjs"
import type { Budget } from "../offload/Budget.ts"

type Filter = Liquid["filters"][string]
type Cost = (args: ReadonlyArray<unknown>) => number

/** A call of any filter, such as `abs`. */
const callSteps = 5

/** The text that a filter reads of an argument: the engine joins the items of a list. */
const textOf = (part: unknown): string =>
  typeof part === "string" ? part : Array.isArray(part) ? part.flat(Number.POSITIVE_INFINITY).join("") : ""

const itemsOf = (value: unknown): number => {
  if (value === null || typeof value !== "object") return 1
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** Filters such as `where_exp` and `find` evaluate their text for each item. A character takes some 230 ns. */
const repeatedSteps: Cost = ([value, ...rest]) => {
  const text = rest.reduce<number>((sum, part) => sum + textOf(part).length, 1)
  return 3 * itemsOf(value) * text
}

/** A formatter of `Intl` is made each time: some 75 µs for a name, and two more for a time zone. */
const nameSteps = 1_000
const zoneSteps = 3_000
const names = /%[-_0^#:]*\d*[EO]?[aAbBhZ]/gu

/** Without a format, the engine's own has two names. */
const namesOf = (format: unknown): number =>
  format === undefined || format === null ? 2 : (textOf(format).match(names)?.length ?? 0)

const dateSteps: Cost = ([, format, zone]) => nameSteps * namesOf(format) + (textOf(zone) === "" ? 0 : zoneSteps)
const namedDateSteps: Cost = () => 2 * nameSteps

const steps: Readonly<Record<string, Cost>> = {
  date: dateSteps,
  date_to_rfc822: namedDateSteps,
  date_to_string: namedDateSteps,
  date_to_long_string: namedDateSteps,
}

/** The budget of the rendering in progress: the engine renders without a pause, and has no place to carry it. */
let rendering: Budget | undefined

/** Has each filter of the engine spend its steps before it runs. */
export const countSteps = (engine: Liquid): void => {
  for (const [name, filter] of Object.entries(engine.filters)) engine.registerFilter(name, counted(name, filter))
}

const counted = (name: string, filter: Filter): Filter => {
  const handler = typeof filter === "function" ? filter : filter.handler
  const cost = steps[name]
  const run: typeof handler = function (...args) {
    rendering?.spend(callSteps + repeatedSteps(args) + (cost?.(args) ?? 0))
    return handler.apply(this, args)
  }
  return typeof filter === "function" ? run : { ...filter, handler: run }
}

/** Runs a rendering whose filters spend from this budget. Nothing else may render before it returns. */
export const renderWithin = <A>(budget: Budget, render: () => A): A => {
  rendering = budget
  try {
    return render()
  } finally {
    rendering = undefined
  }
}
