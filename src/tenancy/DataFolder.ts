/** The folder in which a Parley without its own database server keeps its data (`PARLEY_DATA_DIR`). */
import { Config, Context, Layer } from "effect"

export class DataFolder extends Context.Service<DataFolder, string>()("tenancy/DataFolder") {
  static readonly layer = Layer.effect(this, Config.String("PARLEY_DATA_DIR").pipe(Config.withDefault("./.parley")))
}
