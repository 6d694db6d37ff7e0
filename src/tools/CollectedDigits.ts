/**
 * The numbers that the caller of one call pressed, by name. They are in this process's memory until the call ends. A
 * model has only references to them, which are replaced when one of the account's own tools is run.
 */
import { Result, type Schema } from "effect"
import type { EquippedTool } from "../catalog/AgentKit.ts"
import { mask } from "../catalog/Secrets.ts"
import { isObject } from "../domain/JsonValue.ts"
import { ToolFailed } from "./ToolRunner.ts"

const reference = /\{\{\s*digits\.([a-z][a-z0-9_]*)\s*\}\}/gu

/** Shorter numbers are not masked: they occur by chance in many results. */
const shortestHidden = 3

type Change = (text: string) => string

/** The arguments that a tool is run with, and the mask for its output before a model or a record gets it. */
export interface Filled {
  readonly args: Schema.JsonObject
  readonly maskText: Change
}

export class CollectedDigits {
  readonly #values = new Map<string, string>()

  set(name: string, digits: string): void {
    this.#values.set(name, digits)
  }

  delete(name: string): void {
    this.#values.delete(name)
  }

  /**
   * Replaces the references in the arguments; null if there are none. Fails for a number that was not collected, or
   * that the tool's settings for the agent do not list in `digits`.
   */
  fill(tool: EquippedTool, args: Schema.JsonObject): Result.Result<Filled | null, ToolFailed> {
    const names = new Set<string>()
    changeTexts(args, (text) => {
      for (const [, name = ""] of text.matchAll(reference)) names.add(name)
      return text
    })
    if (names.size === 0) return Result.succeed(null)
    const refusal = [...names].map((name) => this.#refusalOf(tool, name)).find((found) => found !== null)
    if (refusal !== undefined) return Result.fail(refusal)
    const valueOf = (name: string) => this.#values.get(name) ?? ""
    const filled = changeTexts(args, (text) => text.replaceAll(reference, (_, name: string) => valueOf(name)))
    return Result.succeed({ args: filled, maskText: makeDigitMasker([...names].map(valueOf)) })
  }

  #refusalOf({ config, implementation_config, implementation_type, name: tool }: EquippedTool, name: string) {
    const { digits: allowed } = config
    if (!Array.isArray(allowed) || !allowed.includes(name)) {
      const reason = `${tool} may not have these digits: the tool's settings for this agent do not list "${name}" in \`digits\``
      return new ToolFailed({ code: "digits_not_allowed", reason })
    }
    if (implementation_type === "http" && implementation_config["method"] === "GET") {
      const reason = `${tool} may not have these digits: its method is GET, and they would be in the address`
      return new ToolFailed({ code: "digits_not_allowed", reason })
    }
    return this.#values.has(name)
      ? null
      : new ToolFailed({ code: "digits_missing", reason: `No digits are kept as "${name}". Collect them first` })
  }
}

/** Masks the digits, also where a server groups them. */
const makeDigitMasker = (values: ReadonlyArray<string>): Change => {
  const patterns = values
    .filter(({ length }) => length >= shortestHidden)
    .toSorted((a, b) => b.length - a.length)
    .map((digits) => new RegExp(`(?<!\\d)${Array.from(digits).join("[ ._-]?")}(?!\\d)`, "gu"))
  return (text) => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, mask), text)
}

/** Changes every text in a value. A number whose text is changed becomes that text. */
export const changeAll = (value: Schema.Json, change: Change): Schema.Json => {
  if (typeof value === "number") {
    const text = change(String(value))
    return text === String(value) ? value : text
  }
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((item) => changeAll(item, change))
  return isObject(value) ? changeTexts(value, change) : value
}

const changeTexts = (object: Schema.JsonObject, change: Change): Schema.JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, item]) => [change(key), changeAll(item, change)]))
