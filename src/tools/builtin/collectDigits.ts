/** collect_digits: the caller presses a number on the telephone's keys, which the model never reads. */
import { Effect, type Schema } from "effect"
import { textIn } from "../../domain/JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

const nameOf = /^[a-z][a-z0-9_]{0,31}$/u
const mostDigits = 32
const usualTimeout = 8
const longestTimeout = 60

export const collectDigits: BuiltIn = (args, { controls }) => {
  const name = textIn(args, "name") ?? ""
  if (!nameOf.test(name)) return refuse("name must be 1 to 32 of a-z, 0-9 and _, beginning with a letter")
  const min = wholeIn(args, "min", 1)
  const max = wholeIn(args, "max", Math.max(min, 20))
  if (!(min >= 1 && min <= max && max <= mostDigits)) {
    return refuse(`min and max must be whole numbers of digits, with 1 <= min <= max <= ${mostDigits}`)
  }
  const finish = textIn(args, "finish_on_key") ?? "#"
  if (!/^(?:[#*]|none)$/u.test(finish)) return refuse("finish_on_key must be #, * or none")
  const seconds = args["timeout_seconds"] ?? usualTimeout
  if (typeof seconds !== "number" || !(seconds >= 1 && seconds <= longestTimeout)) {
    return refuse(`timeout_seconds must be a number from 1 to ${longestTimeout}`)
  }
  const wanted = { min, max, finish_on_key: finish === "none" ? null : finish, timeout_ms: seconds * 1_000 }
  return Effect.flatMap(controls.collectDigits(name, wanted), (hasBegun) =>
    hasBegun
      ? Effect.succeed({ status: "collecting" })
      : new ToolFailed({
          code: "no_keys",
          reason: "Keys cannot be received here. Ask for the number by voice, if it may be said aloud",
        }),
  )
}

/** NaN if it is not a whole number. */
const wholeIn = (args: Schema.JsonObject, name: string, usual: number): number => {
  const value = args[name] ?? usual
  return Number.isInteger(value) ? Number(value) : Number.NaN
}

const refuse = (reason: string) => new ToolFailed({ code: "invalid_arguments", reason })
