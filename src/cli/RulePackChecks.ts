/** Checks the folder of the installation's own rule packs: whether each file is a pack. */
import { Effect, Option } from "effect"
import { ownFolder, readFolder } from "../catalog/RulePacks.ts"
import { type Finding, failure, ok } from "./Finding.ts"

const check = "rule packs"

/** Returns no finding without a folder. The first file with a fault is named, with the place of the fault. */
export const run = Effect.gen(function* () {
  const folder = Option.getOrUndefined(yield* ownFolder)
  if (folder === undefined) return []
  const packs = yield* readFolder(folder)
  return [ok(check, `${folder} has ${packs.length} of your own: ${packs.map(({ id }) => id).join(", ") || "none"}.`)]
}).pipe(
  Effect.catchTag("RulePackUnusable", ({ message }) =>
    Effect.succeed<ReadonlyArray<Finding>>([failure(check, message)]),
  ),
)
