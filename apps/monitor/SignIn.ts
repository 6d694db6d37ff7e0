/** Signs in to the account: with a token, or in development with an email. */
import { Effect, Option, Redacted } from "effect"
import { login, Parley, ParleyError } from "../../examples/parley.ts"
import { because, codes, Leaving } from "./Leaving.ts"

export interface Access {
  readonly url: string
  readonly account: string
  readonly token: Option.Option<Redacted.Redacted>
  readonly email: Option.Option<string>
}

/** The member of a new development server's account. */
const developer = "dev@example.com"

const isLoopback = (url: URL) => ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)

const noLogin = new Leaving({
  code: codes.signedOut,
  message: "This server has no development login. Set PARLEY_TOKEN to an API key or an ID token.",
})

export const signIn = Effect.fnUntraced(function* ({ account, email, token, url }: Access) {
  const address = yield* Effect.try({
    try: () => new URL(url),
    catch: () => new Leaving({ code: codes.usage, message: `--url is not a URL: ${url}` }),
  })
  const base = address.href.replace(/\/+$/, "")
  if (Option.isSome(token)) return new Parley(base, Redacted.value(token.value), account)
  if (Option.isNone(email) && !isLoopback(address)) {
    return yield* new Leaving({ code: codes.signedOut, message: "Set PARLEY_TOKEN to an API key or an ID token." })
  }
  return yield* Effect.tryPromise({
    try: () => login(base, { email: Option.getOrElse(email, () => developer), account }),
    catch: (cause) =>
      cause instanceof ParleyError && cause.problem.status === 404 && !cause.problem.code.startsWith("account")
        ? noLogin
        : because(cause),
  })
})
