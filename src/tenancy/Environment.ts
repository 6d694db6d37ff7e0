/** Development or production (`PARLEY_ENV`): what may be made up, and what must be said. */
import { Config } from "effect"

export const Environment = Config.Literals(["development", "production"], "PARLEY_ENV").pipe(
  Config.withDefault("development"),
)
