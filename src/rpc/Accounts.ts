/** Accounts and their members over the router: for platform administrators. */
import { Effect } from "effect"
import * as AuditLog from "../audit/AuditLog.ts"
import { Account } from "../domain/Account.ts"
import { AuditPage, PlatformAuditEntry } from "../domain/AuditEntry.ts"
import * as MissingPrice from "../catalog/MissingPrice.ts"
import { Member } from "../domain/Member.ts"
import { Page } from "../domain/Page.ts"
import { momentAs } from "../domain/Timestamp.ts"
import * as Administration from "../identity/Administration.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as AuditInputs from "./inputs/Audit.ts"
import * as Inputs from "./inputs/Accounts.ts"
import { mutation, query, router } from "./Procedure.ts"

const Answer = Tagged(Account)

export const accounts = router({
  list: query("administrator", Inputs.AccountList, Page(Account), Administration.list),
  get: query("administrator", Inputs.AccountKey, Answer, ({ slug }) => Effect.map(Administration.find(slug), withEtag)),
  create: mutation("administrator", Inputs.NewAccount, Answer, (account) =>
    MissingPrice.checkDailyCap(account).pipe(Effect.andThen(Administration.create(account)), Effect.map(withEtag)),
  ),
  update: mutation("administrator", Inputs.AccountUpdate, Answer, ({ etag, slug, ...change }) =>
    MissingPrice.checkDailyCap(change).pipe(
      Effect.andThen(Administration.update(slug, change, etag)),
      Effect.map(withEtag),
    ),
  ),
  remove: mutation("administrator", Inputs.AccountKey, Nothing, ({ slug }) => Administration.remove(slug)),
  audit: query(
    "administrator",
    AuditInputs.PlatformAuditList,
    AuditPage(PlatformAuditEntry),
    ({ from, to, ...filter }) =>
      AuditLog.listOfPlatform({ ...filter, ...momentAs("from", from), ...momentAs("to", to) }),
  ),
  members: router({
    list: query("administrator", Inputs.MemberList, Page(Member), ({ account, ...page }) =>
      Administration.members(account, page),
    ),
    put: mutation("administrator", Inputs.MemberOfAccount, Member, ({ account, role, ...naming }) =>
      Effect.map(Administration.putMember(account, naming, role), ({ member }) => member),
    ),
    remove: mutation("administrator", Inputs.MemberToRemove, Nothing, ({ account, ...naming }) =>
      Administration.removeMember(account, naming),
    ),
  }),
})
