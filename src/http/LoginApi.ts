/** The documented public endpoints of signing in (spec §4, decisions §3). Contract only: no handler, no database. */
import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { AccountSlug } from "../domain/Account.ts"
import { Email } from "../domain/Member.ts"
import { AccountValidity, Discoverable, Organisation, SignedIn } from "../domain/SignIn.ts"
import type { DevelopmentLogin } from "../identity/DevelopmentLogin.ts"
import * as SignIn from "../identity/SignIn.ts"
import { StrictBody } from "./edge/Body.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { ShowsSecret } from "./edge/NoStore.ts"
import * as Problems from "./edge/Problems.ts"

/** In production this path does not exist, so it is a 404 for every body. */
export class DevelopmentOnly extends HttpApiMiddleware.Service<DevelopmentOnly>()("http/DevelopmentOnly", {
  error: Problems.notFound,
}) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Effect.context<DevelopmentLogin>(), (context) =>
      DevelopmentOnly.of((httpEffect) =>
        Effect.andThen(Effect.provideContext(SignIn.whereDeveloped, context), httpEffect),
      ),
    ),
  )
}

const Login = Schema.Struct({
  email: Email.annotate({ description: "The email address of the person. It need not exist." }),
  account: Schema.optionalKey(AccountSlug).annotate({
    description: "The account to sign in to. The person becomes an owner of it.",
  }),
  admin: Schema.optionalKey(Schema.Boolean).annotate({ description: "`true` signs in as a platform administrator." }),
})
  .annotate({
    identifier: "Login",
    examples: [{ email: "dev@example.com", account: AccountSlug.make("demo") }],
  })
  .check(
    Schema.makeFilter((login) =>
      login.account !== undefined || login.admin === true ? true : { path: ["account"], issue: "is missing" },
    ),
  )

export class LoginApi extends HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("login", "/api/login", {
      payload: Login,
      success: SignedIn,
      error: Problems.accountNotFound,
    })
      .middleware(InvalidRequest)
      .middleware(StrictBody)
      .middleware(DevelopmentOnly)
      .annotate(ShowsSecret, true)
      .annotate(OpenApi.Summary, "Sign in (development only)")
      .annotate(
        OpenApi.Description,
        "Signs in without a password. The path exists only with `PARLEY_ENV=development`; otherwise it is a 404. Send `account`, `admin`, or both.",
      ),
    HttpApiEndpoint.get("accounts", "/api/accounts", {
      success: Discoverable,
    })
      .middleware(InvalidRequest)
      .annotate(OpenApi.Summary, "Discover accounts")
      .annotate(OpenApi.Description, "Returns the accounts that are marked `discoverable`, for a login page."),
    HttpApiEndpoint.get("validate", "/api/accounts/validate/:account", {
      params: { account: AccountSlug.annotate({ description: "The account's slug." }) },
      success: AccountValidity,
    })
      .middleware(InvalidRequest)
      .annotate(OpenApi.Summary, "Check an account slug")
      .annotate(
        OpenApi.Description,
        "Answers 200 for every well-formed slug. `valid` says whether users can sign in to the account.",
      ),
    HttpApiEndpoint.get("organisation", "/api/user/org", {
      success: Organisation,
      error: [Problems.invalid, Problems.unauthenticated, Problems.issuerUnreachable],
    })
      .middleware(InvalidRequest)
      .annotate(OpenApi.Summary, "Get the signed-in person and their accounts")
      .annotate(
        OpenApi.Description,
        "Send `Authorization: Bearer <token>` without X-Account-ID. An API key is a 401 here, because it does not stand for a person.",
      ),
  )
  .annotate(OpenApi.Title, "Sign-in")
  .annotate(OpenApi.Description, "Public endpoints for a login page, before the user has chosen an account.") {}
