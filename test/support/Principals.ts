/** Who asks, in tests that call operations without a request. */
import { Layer } from "effect"
import { CurrentPrincipal } from "../../src/domain/Principal.ts"

/** An API key that may change everything and let calls follow. */
export const dialler = Layer.succeed(CurrentPrincipal, {
  _tag: "ApiKey",
  id: "key",
  name: "dialler",
  scopes: ["write", "dial"],
  expires_at: null,
})
