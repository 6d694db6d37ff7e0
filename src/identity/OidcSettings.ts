/** The trusted identity provider, and the audience that its tokens must name (decisions §6). */
import { Config, Context, Data, Effect, Layer, Option } from "effect"
import { Environment } from "../tenancy/Environment.ts"

/** The settings are faulty, and the server refuses to start. The sentence names the variable and the reason. */
export class OidcMisconfigured extends Data.TaggedError("OidcMisconfigured")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

export interface Issuer {
  readonly issuer: string
  readonly audience: ReadonlyArray<string>
}

export class OidcSettings extends Context.Service<OidcSettings, Option.Option<Issuer>>()("identity/OidcSettings") {
  /** None in development without an identity provider: only the development login and API keys work then. */
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const issuer = yield* Config.option(Config.NonEmptyString("OIDC_ISSUER"))
      const audience = commaList(yield* Config.String("OIDC_AUDIENCE").pipe(Config.withDefault("")))
      if (Option.isNone(issuer)) {
        if ((yield* Environment) === "development") return Option.none()
        return yield* new OidcMisconfigured({ why: "OIDC_ISSUER is needed in production" })
      }
      if (audience.length === 0) {
        return yield* new OidcMisconfigured({ why: "OIDC_AUDIENCE is needed beside OIDC_ISSUER" })
      }
      const fault = faultOf(issuer.value)
      if (fault !== undefined) return yield* new OidcMisconfigured({ why: `OIDC_ISSUER ${fault}: ${issuer.value}` })
      return Option.some({ issuer: issuer.value, audience })
    }),
  )
}

export const commaList = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

const faultOf = (issuer: string): string | undefined => {
  if (!URL.canParse(issuer)) return "must be a URL"
  const { hash, password, protocol, search, username } = new URL(issuer)
  if (search !== "" || hash !== "" || username !== "" || password !== "") {
    return "must have no query, fragment or credentials"
  }
  if (protocol === "https:") return undefined
  if (protocol !== "http:") return "must be an https URL"
  return isLoopback(issuer) ? undefined : "may use plain http on loopback only"
}

/**
 * Whether the URL is on loopback, where no third party can listen. `URL` normalises `127.1` and the like to 127.0.0.1.
 */
export const isLoopback = (url: string): boolean => {
  const { hostname } = new URL(url)
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
