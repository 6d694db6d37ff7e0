/**
 * The folder in which this process keeps its files (`PARLEY_DATA_DIR`), among them the embedded server without
 * `DATABASE_URL`.
 */
import { Config, Context, Layer } from "effect"

export class DataFolder extends Context.Service<DataFolder, string>()("tenancy/DataFolder") {
  static readonly layer = Layer.effect(this, Config.String("PARLEY_DATA_DIR").pipe(Config.withDefault("./.parley")))
}
