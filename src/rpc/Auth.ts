/** Signing in over the router, before an account is chosen. */
import { Effect } from "effect"
import { AccountValidity, Discoverable, Organisation, SignedIn } from "../domain/SignIn.ts"
import * as SignIn from "../identity/SignIn.ts"
import { Nothing as None } from "./inputs/Fields.ts"
import * as Inputs from "./inputs/Login.ts"
import { mutation, query, router } from "./Procedure.ts"

export const auth = router({
  login: mutation("nobody", Inputs.Login, SignedIn, SignIn.login),
  accounts: query("nobody", None, Discoverable, () => SignIn.accounts),
  validate: query("nobody", Inputs.AccountToCheck, AccountValidity, ({ account }) => SignIn.validate(account)),
  whoami: query("nobody", None, Organisation, (_, { bearer }) => Effect.flatMap(bearer, SignIn.organisation)),
})
