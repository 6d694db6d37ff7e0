/**
 * A real OpenID provider (oidc-provider) on a local port, with users who sign in by the code flow, and rotating keys.
 */
import { exportJWK, generateKeyPair, type JWK } from "jose"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"

export type People = Record<string, Record<string, unknown>>

export interface OidcProvider {
  readonly url: string
  /** Signs in by the authorization code flow, as a browser does. Returns the ID token. */
  readonly signIn: (person: string, client?: string) => Promise<string>
  /** Adds a key that signs from now on. Earlier keys stay published. */
  readonly addKey: () => Promise<void>
  /** Allows another redirect URI. */
  readonly returnsTo: (redirect_uri: string) => void
  readonly close: () => void
}

const redirect_uri = "https://app.example/callback"

const newKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "RS256", use: "sig" }
}

export interface Options {
  /** True if the discovery document names a token endpoint on another origin, as those of large providers do. */
  readonly exchangesElsewhere?: boolean
}

export const start = async (people: People, { exchangesElsewhere = false }: Options = {}): Promise<OidcProvider> => {
  const serve = async () => {
    const server = createServer((request, response) => handle(request, response))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const { server, url } = await serve()
  const elsewhere = exchangesElsewhere ? await serve() : undefined

  const redirect_uris = [redirect_uri]
  let keys = [await newKey()]
  /** The library reads its keys only once, so new keys need a new provider on the same port. */
  const provider = () => {
    const built = new Provider(url, {
      clients: ["parley", "elsewhere"].map((client_id) => ({
        client_id,
        redirect_uris,
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none",
      })),
      jwks: { keys: keys as never },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      cookies: { keys: ["a test's"] },
      pkce: { required: () => false },
      clientBasedCORS: () => true,
      conformIdTokenClaims: false,
      claims: { openid: ["sub", "accounts", "roles"], email: ["email", "email_verified"], profile: ["name"] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
      loadExistingGrant: async (ctx) => {
        const { account, client } = ctx.oidc
        const grant = new ctx.oidc.provider.Grant({ accountId: account!.accountId, clientId: client!.clientId })
        grant.addOIDCScope("openid email profile")
        await grant.save()
        return grant
      },
    })
    built.use(async (context, next) => {
      await next()
      if (elsewhere === undefined || !context.path.endsWith("/openid-configuration")) return
      context.body = { ...(context.body as object), token_endpoint: `${elsewhere.url}/token` }
    })
    return built.callback()
  }
  let handle = provider()

  const signIn = async (person: string, client = "parley") => {
    const cookies = new Map<string, string>()
    const visit = async (path: string, form?: Record<string, string>): Promise<Response> => {
      const response = await fetch(new URL(path, url), {
        redirect: "manual",
        headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
        ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      return response
    }
    const asked = new URLSearchParams({
      client_id: client,
      response_type: "code",
      redirect_uri,
      scope: "openid email profile",
    })
    const placeOf = (response: Response) => response.headers.get("location") ?? ""
    const interaction = placeOf(await visit(`/auth?${asked}`))
    const resumed = placeOf(await visit(interaction, { prompt: "login", login: person, password: "any" }))
    const code = new URL(placeOf(await visit(resumed))).searchParams.get("code") ?? ""
    const token = await visit("/token", { grant_type: "authorization_code", client_id: client, redirect_uri, code })
    return (await token.json()).id_token
  }

  return {
    url,
    signIn,
    addKey: async () => {
      keys = [await newKey(), ...keys]
      handle = provider()
    },
    returnsTo: (uri) => {
      redirect_uris.push(uri)
      handle = provider()
    },
    close: () => {
      for (const each of [server, elsewhere?.server]) {
        each?.closeAllConnections()
        each?.close()
      }
    },
  }
}
