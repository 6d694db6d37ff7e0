/** Where a Parley without a database server of its own keeps what must survive it (`PARLEY_DATA_DIR`). */
import { Config, Context, Layer } from "effect"

export class DataFolder extends Context.Service<DataFolder, string>()("tenancy/DataFolder") {
  static readonly layer = Layer.effect(this, Config.String("PARLEY_DATA_DIR").pipe(Config.withDefault("./.parley")))
}
