/** The code flow with PKCE at the organisation's identity provider: leaves for it, and returns with an ID token. */
import * as oauth from "oauth4webapi"
import type { ServerSettings } from "./ServerSettings.ts"
import { begin } from "./Session.ts"

type Provider = NonNullable<ServerSettings["oidc"]>

/** State that the tab keeps while the user is at the identity provider. */
interface Journey {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  readonly next: string
}
const place = "parley.sign-in"

const returnsTo = () => `${location.origin}/console/signed-in`

/** The server accepts an issuer without TLS only on loopback, for development. */
const insecure = (issuer: URL) => (issuer.protocol === "http:" ? { [oauth.allowInsecureRequests]: true } : {})

const discover = async ({ issuer }: Provider) => {
  const url = new URL(issuer)
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...insecure(url) }))
}

/** Navigates to the provider. `next` is the path to continue at afterwards. */
export const leave = async (provider: Provider, next: string, hint?: string): Promise<void> => {
  const server = await discover(provider)
  const journey: Journey = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    next,
  }
  sessionStorage.setItem(place, JSON.stringify(journey))
  const url = new URL(server.authorization_endpoint ?? "")
  const asked = {
    client_id: provider.client_id,
    redirect_uri: returnsTo(),
    response_type: "code",
    scope: "openid email profile",
    code_challenge: await oauth.calculatePKCECodeChallenge(journey.verifier),
    code_challenge_method: "S256",
    state: journey.state,
    nonce: journey.nonce,
    ...(hint === undefined ? {} : { login_hint: hint }),
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  location.assign(url)
}

/** Why the sign-in failed, and the path at which it would have continued. */
export class NotSignedIn extends Error {
  readonly next: string | undefined
  constructor(why: string, next?: string, cause?: unknown) {
    super(why, { cause })
    this.next = next
  }
}

/** Completes the sign-in on return from the provider: begins the session and returns the path to continue at. */
export const comeBack = async (provider: Provider, at: URL): Promise<string> => {
  const stored = sessionStorage.getItem(place)
  sessionStorage.removeItem(place)
  if (stored === null) throw new NotSignedIn("This sign-in was begun in another tab. Begin it here again.")
  const journey: Journey = JSON.parse(stored)
  const refused = (cause: unknown) => new NotSignedIn(reasonOf(cause), journey.next, cause)
  const { expires, token } = await exchange(provider, at, journey).catch((cause: unknown) => {
    throw refused(cause)
  })
  begin(token, expires - Date.now() / 1000)
  return journey.next
}

const reasonOf = (cause: unknown): string => {
  if (cause instanceof oauth.AuthorizationResponseError) return cause.error_description ?? cause.error
  if (cause instanceof oauth.ResponseBodyError) return cause.error_description ?? cause.error
  return cause instanceof oauth.OperationProcessingError
    ? "What came back does not belong to the sign-in that this tab began."
    : "The sign-in page of your organisation could not be reached. Try again in a moment."
}

const exchange = async (provider: Provider, at: URL, journey: Journey) => {
  const server = await discover(provider)
  const client: oauth.Client = { client_id: provider.client_id }
  const answered = oauth.validateAuthResponse(server, client, at, journey.state)
  const url = new URL(provider.issuer)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answered,
    returnsTo(),
    journey.verifier,
    { ...insecure(url) },
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: journey.nonce,
    requireIdToken: true,
  })
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (tokens.id_token === undefined || claims === undefined) throw new Error("The identity provider gave no ID token")
  return { token: tokens.id_token, expires: claims.exp }
}
