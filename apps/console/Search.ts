/** The typed query of each page's URL: filters, pages and the open item. Invalid values are dropped. */
import { z } from "zod/mini"
import { auditKinds } from "../../src/domain/AuditActions.ts"
import { outcomes } from "./figures/Outcomes.ts"

/** One of a few words. Any other value is dropped. */
const oneOf = <const Values extends ReadonlyArray<string>>(values: Values) =>
  z.catch(z.optional(z.enum(values)), undefined)
const text = z.catch(z.optional(z.string()), undefined)
/** A page number, from 1. The first page is written without a number. */
const page = z.catch(z.optional(z.int().check(z.gte(1))), undefined)

const outcome = oneOf(outcomes)
/** The key of a disposition, as the server takes it. */
const disposition = z.catch(z.optional(z.string().check(z.regex(/^[a-z][a-z0-9_]{0,49}$/u))), undefined)

export const SignInSearch = z.object({ next: text, account: text })
export const SignedInSearch = z.object({ code: text, state: text, error: text, error_description: text })

export const CampaignsSearch = z.object({
  status: oneOf(["running", "waiting", "scheduled", "paused", "draft", "ended"]),
  agent: text,
  q: text,
  page,
})

export const NewCampaignSearch = z.object({
  step: oneOf(["agent", "contacts", "pace", "review"]),
  draft: text,
  from: text,
})

export const ContactsSearch = z.object({
  status: oneOf(["pending", "in_progress", "completed", "failed", "skipped"]),
  outcome,
  disposition,
  q: text,
  page,
  contact: text,
  attempt: text,
})

export const CallsSearch = z.object({
  campaign_id: text,
  agent_id: text,
  status: oneOf(["queued", "ringing", "in_progress", "completed", "failed"]),
  outcome,
  disposition,
  direction: oneOf(["outbound", "inbound", "web"]),
  from: text,
  to: text,
  q: text,
  page,
})
export const CallbacksSearch = z.object({ campaign_id: text, from: text, to: text, page })
export const AuditSearch = z.object({
  q: text,
  kind: oneOf(auditKinds),
  object: text,
  from: text,
  to: text,
  before: text,
})
export const CallSearch = z.object({ t: z.catch(z.optional(z.number()), undefined) })

/** An agent's tabs: the page and filter of the FAQs, and the open version or run. */
export const AgentSearch = z.object({
  q: text,
  page,
  version: z.catch(z.optional(z.int().check(z.gte(1))), undefined),
  run: text,
})

/** A list of settings with the chosen item beside it. */
export const ListSearch = z.object({ q: text, page, category: text, type: oneOf(["python", "http", "built_in"]) })
export const WebhookSearch = z.object({
  delivery: text,
  status: oneOf(["waiting", "given_up", "delivered"]),
  event: text,
  page,
})

/** The administration's list of accounts: the page, and the open account. */
export const AccountsSearch = z.object({ account: text, page })
