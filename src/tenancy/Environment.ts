/** Development or production (`PARLEY_ENV`): production requires settings that development makes up. */
import { Config } from "effect"

export const Environment = Config.Literals(["development", "production"], "PARLEY_ENV").pipe(
  Config.withDefault("development"),
)
