/** The typed router of our own apps: the operations of the REST surface, through the same rooms. */
import { account } from "./Account.ts"
import { accounts } from "./Accounts.ts"
import { agents } from "./Agents.ts"
import { audit } from "./Audit.ts"
import { auth } from "./Auth.ts"
import { callbacks } from "./Callbacks.ts"
import { calls } from "./Calls.ts"
import { campaigns } from "./Campaigns.ts"
import { exports } from "./Exports.ts"
import { faqs } from "./Faqs.ts"
import { apiKeys, widgetKeys } from "./Keys.ts"
import { people } from "./People.ts"
import { phoneNumbers } from "./PhoneNumbers.ts"
import { playbooks } from "./Playbooks.ts"
import { router } from "./Procedure.ts"
import { receipts } from "./Receipts.ts"
import { rulePacks } from "./RulePacks.ts"
import { callerNumbers } from "./CallerNumbers.ts"
import { consents } from "./Consents.ts"
import { suppressions } from "./Suppressions.ts"
import { tools } from "./Tools.ts"
import { events, webhooks } from "./Webhooks.ts"

export const appRouter = router({
  auth,
  account,
  accounts,
  agents,
  tools,
  playbooks,
  faqs,
  phoneNumbers,
  campaigns,
  callbacks,
  rulePacks,
  calls,
  suppressions,
  callerNumbers,
  consents,
  receipts,
  people,
  exports,
  apiKeys,
  widgetKeys,
  webhooks,
  events,
  audit,
})

/** All that a client needs: `import type { AppRouter }`. */
export type AppRouter = typeof appRouter
