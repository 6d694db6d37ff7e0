/**
 * The rule packs of this installation: those that Parley ships in `rules/`, and those of the folder PARLEY_RULES_DIR,
 * which replace shipped ones with the same id. They are read when the process starts.
 */
import { Config, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { faultsOf } from "../domain/Faults.ts"
import type { PageRequest } from "../domain/Page.ts"
import { NotFound } from "../domain/Refusals.ts"
import { RulePack } from "../domain/RulePack.ts"
import * as NumberPlaces from "./NumberPlaces.ts"

export class RulePackUnusable extends Data.TaggedError("RulePackUnusable")<{
  readonly file: string
  readonly why: string
}> {
  override get message() {
    return `The rule pack ${this.file} cannot be used: ${this.why}. Correct the file, or take it out of the folder.`
  }
}

export class RulePacks extends Context.Service<RulePacks, ReadonlyMap<string, RulePack>>()("catalog/RulePacks") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      yield* NumberPlaces.load
      const own = yield* ownFolder
      const folders = [shipped, ...Option.toArray(own)]
      return new Map((yield* Effect.forEach(folders, readFolder)).flat().map((pack) => [pack.id, pack]))
    }),
  )
}

const shipped = join(import.meta.dirname, "../../rules")
export const ownFolder = Config.option(Config.NonEmptyString("PARLEY_RULES_DIR"))

/** Reads the packs of a folder: each `.json` file in it. */
export const readFolder = Effect.fnUntraced(function* (folder: string) {
  const names = yield* Effect.try({
    try: () => readdirSync(folder).filter((name) => name.endsWith(".json")),
    catch: () => new RulePackUnusable({ file: folder, why: "the folder of PARLEY_RULES_DIR cannot be read" }),
  })
  const packs = yield* Effect.forEach(names.sort(), (name) => readPack(join(folder, name)))
  const ids = packs.map(({ id }) => id)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) < index)
  if (twice >= 0) {
    const why = `/id is ${ids[twice]}, which another file of the folder has too`
    return yield* new RulePackUnusable({ file: join(folder, names[twice] ?? ""), why })
  }
  return packs
})

const decode = Schema.decodeUnknownEffect(RulePack)

const readPack = Effect.fnUntraced(function* (file: string) {
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(readFileSync(file, "utf8")),
    catch: (cause) => new RulePackUnusable({ file, why: cause instanceof Error ? cause.message : String(cause) }),
  })
  return yield* decode(json, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError(({ issue }) => {
      const [first] = faultsOf(issue)
      return new RulePackUnusable({ file, why: `${first?.pointer ?? ""} ${first?.detail ?? "is not a rule pack"}` })
    }),
  )
})

/** Lists the packs by id. */
export const list = Effect.fn("RulePacks.list")(function* ({ page, page_size }: PageRequest) {
  const packs = [...(yield* RulePacks).values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const items = packs.slice(page * page_size, (page + 1) * page_size)
  return { items, page, page_size, total: packs.length }
})

export const find = Effect.fn("RulePacks.find")(function* (id: string) {
  return (yield* RulePacks).get(id) ?? (yield* new NotFound({ resource: "rule pack", id }))
})
