/** The price list of this installation, read once at the start from the file that `PARLEY_PRICES_FILE` names. */
import { Config, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { faultsOf } from "../domain/Faults.ts"
import { ModelPrices } from "../domain/ModelPrice.ts"
import { compile, PriceList, type Prices } from "../domain/PriceList.ts"

export class PriceFileRefused extends Data.TaggedError("PriceFileRefused")<{
  readonly file: string
  readonly why: string
}> {
  override get message() {
    return `The price list ${this.file} (PARLEY_PRICES_FILE) cannot be used: ${this.why}. docs/costs.md has an example.`
  }
}

/** The prices; null without a price list, and calls then cost what they cost before there were lists. */
export const InstallationPrices = Context.Reference<Prices | null>("catalog/PriceFile", { defaultValue: () => null })

const settings = Config.all({
  file: Config.option(Config.NonEmptyString("PARLEY_PRICES_FILE")),
  models: Config.schema(ModelPrices, "PARLEY_MODEL_PRICES").pipe(Config.withDefault<ModelPrices>({})),
})

const decode = Schema.decodeUnknownResult(PriceList, { errors: "all", onExcessProperty: "error" })

const read = Effect.fnUntraced(function* (file: string, models: ModelPrices) {
  const refuse = (why: string) => new PriceFileRefused({ file, why })
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(readFileSync(file, "utf8")),
    catch: (cause) => refuse(cause instanceof Error ? cause.message : String(cause)),
  })
  const list = yield* Effect.fromResult(decode(json)).pipe(
    Effect.mapError(({ issue }) =>
      refuse(
        faultsOf(issue)
          .map(({ detail, pointer }) => `${pointer} ${detail}`)
          .join("; "),
      ),
    ),
  )
  return yield* Effect.fromResult(Result.mapError(compile(list, new Set(Object.keys(models))), refuse))
})

export const layer = Layer.effect(
  InstallationPrices,
  Effect.flatMap(settings, ({ file, models }) =>
    Option.match(file, { onNone: () => Effect.succeed(null), onSome: (path) => read(path, models) }),
  ),
)
