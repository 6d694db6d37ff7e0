/** The room's one layer: authentication by token or by key, and permissions. */
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Authenticator } from "./Authentication.ts"
import { DevelopmentLogin } from "./DevelopmentLogin.ts"
import { Memberships } from "./Memberships.ts"
import { OidcKeys } from "./OidcKeys.ts"
import { OidcSettings } from "./OidcSettings.ts"
import { OidcVerifier } from "./OidcVerifier.ts"
import { WidgetSessions } from "./WidgetSessions.ts"

/**
 * The HTTP client for the provider's documents. It follows no redirect, which would lead to a host that no operator
 * configured.
 */
const provider = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" })),
)

/** The verification of tokens, which needs no database. */
export const tokens = OidcVerifier.layer.pipe(
  Layer.provideMerge(OidcKeys.layer.pipe(Layer.provide(provider))),
  Layer.provideMerge(Layer.merge(OidcSettings.layer, DevelopmentLogin.layer)),
)

export const layer = Layer.merge(Authenticator.layer, WidgetSessions.layer).pipe(
  Layer.provideMerge(Layer.merge(tokens, Memberships.layer)),
)
