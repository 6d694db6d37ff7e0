/** Signing in over the router, before an account is chosen. */
import { Effect } from "effect"
import { AccountValidity, Discoverable, Organisation, SignedIn } from "../domain/SignIn.ts"
import * as SignIn from "../identity/SignIn.ts"
import { Nothing as None } from "./inputs/Fields.ts"
import * as Inputs from "./inputs/Login.ts"
import { mutation, query, router } from "./Procedure.ts"

export const auth = router({
  login: mutation("none", Inputs.Login, SignedIn, SignIn.login),
  accounts: query("none", None, Discoverable, () => SignIn.accounts),
  validate: query("none", Inputs.AccountToCheck, AccountValidity, ({ account }) => SignIn.validate(account)),
  whoami: query("none", None, Organisation, (_, { bearer }) => Effect.flatMap(bearer, SignIn.organisation)),
})
