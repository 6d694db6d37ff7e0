/** The settings of the caller's own account and its members, for its owners. Administrators have REST's admin paths. */
import { Effect } from "effect"
import { Account } from "../domain/Account.ts"
import { Member } from "../domain/Member.ts"
import { Page } from "../domain/Page.ts"
import * as OwnAccount from "../identity/OwnAccount.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/AccountSettings.ts"
import { Nothing as None } from "./inputs/Fields.ts"
import { mutation, query, router } from "./Procedure.ts"

const Answer = Tagged(Account)

export const settings = router({
  get: query("manage", None, Answer, () => Effect.map(OwnAccount.find, withEtag)),
  update: mutation("manage", Inputs.SettingsUpdate, Answer, ({ etag, ...change }) =>
    Effect.map(OwnAccount.update(change, etag), withEtag),
  ),
  members: router({
    list: query("manage", Inputs.MemberList, Page(Member), OwnAccount.members),
    put: mutation("manage", Inputs.Member, Member, ({ role, ...naming }) =>
      Effect.map(OwnAccount.putMember(naming, role), ({ member }) => member),
    ),
    remove: mutation("manage", Inputs.MemberToRemove, Nothing, OwnAccount.removeMember),
  }),
})
