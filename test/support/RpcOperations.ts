/**
 * Maps procedures of the router to operations of the REST interface, and says how a procedure's input is built from the
 * operation's parts.
 */
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Context, Option } from "effect"
import type { z } from "zod"
import { Api } from "../../src/http/Api.ts"
import { Administration, Authentication, Needs } from "../../src/http/edge/Authentication.ts"
import { appRouter } from "../../src/rpc/Router.ts"
import type { RpcBody } from "./Contract.ts"
import type { AnswerOf, Client } from "./TestServer.ts"

export interface Operation {
  /** Such as `agents.tools.enable`. */
  readonly procedure: string
  /** Such as `agent-kit.enableTool`. */
  readonly rest: string
  /** Fields of the input by the names of REST's path parameters. */
  readonly params: Readonly<Record<string, string>>
}

const same = (procedure: string, rest: string, params: Record<string, string> = {}): Operation => ({
  procedure,
  rest,
  params,
})
const resource = (procedure: string, rest: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => same(`${procedure}.${name}`, `${rest}.${name}`))
const crud = ["list", "get", "create", "update", "remove"] as const
const ofAgent = { id: "agent_id" }
const ofAccount = { slug: "account" }
const ofCampaign = { id: "campaign_id" }
const ofWebhook = { id: "webhook_id" }

export const operations: ReadonlyArray<Operation> = [
  same("auth.login", "login.login"),
  same("auth.accounts", "login.accounts"),
  same("auth.validate", "login.validate"),
  same("auth.whoami", "login.organisation"),
  ...resource("tools", "tools", ...crud),
  same("tools.invoke", "playground.invoke"),
  ...resource("playbooks", "playbooks", ...crud),
  ...resource("faqs", "faqs", ...crud),
  ...resource("agents", "agents", ...crud),
  same("agents.preview", "playground.preview"),
  same("agents.tools.list", "agent-kit.tools", ofAgent),
  same("agents.tools.enable", "agent-kit.enableTool", ofAgent),
  same("agents.tools.disable", "agent-kit.disableTool", ofAgent),
  same("agents.playbooks.list", "agent-kit.playbooks", ofAgent),
  same("agents.playbooks.attach", "agent-kit.attachPlaybook", ofAgent),
  same("agents.playbooks.detach", "agent-kit.detachPlaybook", { ...ofAgent, pbId: "playbook_id" }),
  same("agents.faqs.list", "agent-kit.faqs", ofAgent),
  same("agents.faqs.attach", "agent-kit.attachFaq", ofAgent),
  same("agents.faqs.detach", "agent-kit.detachFaq", { ...ofAgent, faqId: "faq_id" }),
  same("agents.versions.list", "agent-versions.list", ofAgent),
  same("agents.versions.get", "agent-versions.get", ofAgent),
  same("agents.versions.diff", "agent-versions.diff", ofAgent),
  same("agents.versions.restore", "agent-versions.restore", ofAgent),
  same("agents.scenarioRuns.begin", "scenario-runs.begin", ofAgent),
  same("agents.scenarioRuns.list", "scenario-runs.list", ofAgent),
  same("agents.scenarioRuns.get", "scenario-runs.get", ofAgent),
  ...resource("phoneNumbers", "phone-numbers", ...crud, "check"),
  ...resource("campaigns", "campaigns", "list", "get", "update", "copy", "start", "pause", "resume", "stop", "remove"),
  same("campaigns.preflight", "campaign-preflight.preflight"),
  same("campaigns.timeline", "campaign-contacts.timeline"),
  same("campaigns.contacts.list", "campaign-contacts.list", ofCampaign),
  same("campaigns.contacts.get", "campaign-contacts.get", ofCampaign),
  ...resource("campaigns.callbacks", "campaign-callbacks", "list", "move", "cancel").map((operation) => ({
    ...operation,
    params: ofCampaign,
  })),
  same("callbacks.list", "callbacks.list"),
  ...["add", "withdraw", "withdrawMany"].map((name) =>
    same(`campaigns.contacts.${name}`, `contact-changes.${name}`, ofCampaign),
  ),
  same("campaigns.live", "campaign-events.events"),
  ...resource(
    "calls",
    "calls",
    "list",
    "get",
    "place",
    "remove",
    "hangUp",
    "pauseRecording",
    "resumeRecording",
    "setDisposition",
    "addNote",
    "deleteNote",
    "whisper",
    "takeOver",
  ),
  ...resource("rulePacks", "rule-packs", "list", "get"),
  ...resource("suppressions", "suppressions", "list", "add", "remove"),
  ...resource("people", "people", "get", "erase"),
  ...resource("callerNumbers", "caller-numbers", "list", "get", "rest", "endRest"),
  ...resource("consents", "consents", "list", "get", "record", "revoke"),
  same("receipts.head", "receipts.head"),
  ...resource("exports", "exports", "begin", "list", "get"),
  ...resource("apiKeys", "api-keys", "list", "create", "remove"),
  ...resource("widgetKeys", "widget-keys", "list", "create", "remove"),
  ...resource("webhooks", "webhooks", ...crud),
  same("webhooks.deliveries", "webhooks.deliveries", ofWebhook),
  same("webhooks.redeliver", "webhooks.redeliver", ofWebhook),
  same("events.list", "events.list"),
  same("audit.list", "audit.list"),
  ...resource("accounts", "admin", ...crud, "audit"),
  same("accounts.members.list", "admin.members", ofAccount),
  same("accounts.members.put", "admin.putMember", ofAccount),
  same("accounts.members.remove", "admin.removeMember", ofAccount),
]

/** Operations that only REST has, with the reason. docs/trpc.md lists them. */
export const restAlone: Readonly<Record<string, string>> = {
  "campaign-creation.create": "an upload, which streams",
  "campaign-contacts.results": "a file, which streams",
  "campaign-contacts.decisions": "a file, which streams",
  "suppression-lists.import": "an upload, which streams",
  "suppression-lists.export": "a file, which streams",
  "consent-export.csv": "a file, which streams",
  "receipt-export.file": "a file, which streams",
  "audit.csv": "a file, which streams",
  "calls.export": "a file, which streams",
  "calls.recording": "a file, which streams",
  "exports.file": "a file, which streams",
  "calls.listen": "sound, which streams",
  "widget.session": "for pages of other origins, with keys of their own",
  "widget-server.token": "for pages of other origins, with keys of their own",
  "widget.config": "for pages of other origins, with keys of their own",
}

/** Procedures that only the router has, with the reason. */
export const routerAlone = [
  { begins: "campaigns.view", why: "all figures of the console's page, of one moment" },
  { begins: "calls.live", why: "a live view, which REST has of campaigns" },
  { begins: "calls.transcript", why: "a live view, which REST has of campaigns" },
  { begins: "webhooks.redeliverAll", why: "many deliveries at one press; REST has them one by one" },
  { begins: "agents.save", why: "all that an editor changed, fields and kit, as one version" },
  { begins: "webhooks.test", why: "a person who sets a webhook up looks at its answer" },
  { begins: "account.settings.", why: "an owner's own settings in the console; REST has the administrator's" },
  { begins: "account.", why: "figures and searches of the console" },
  ...["tools", "playbooks", "faqs"].map((what) => ({ begins: `${what}.users`, why: "what a change of it reaches" })),
]

interface Meta {
  readonly needs: string
  readonly input: z.ZodType
}

interface Procedure {
  readonly _def: { readonly type: "query" | "mutation" | "subscription"; readonly meta?: Meta }
}

/** Every procedure by its path. */
export const procedures = new Map(Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>))

export const metaOf = (path: string): Meta => {
  const meta = procedures.get(path)?._def.meta
  if (meta === undefined) throw new Error(`There is no procedure ${path}`)
  return meta
}

/** Every operation of REST by its group and name. */
export const endpoints = new Map<string, HttpApiEndpoint.Top>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => void endpoints.set(`${group.identifier}.${endpoint.identifier}`, endpoint),
})

export const endpointOf = (rest: string): HttpApiEndpoint.Top => {
  const endpoint = endpoints.get(rest)
  if (endpoint === undefined) throw new Error(`There is no operation ${rest}`)
  return endpoint
}

/** What REST requires of the sender of a request. */
export const needsOf = (endpoint: HttpApiEndpoint.Top): string => {
  const guards: ReadonlySet<unknown> = endpoint.middlewares
  if (guards.has(Administration)) return "administrator"
  if (!guards.has(Authentication)) return "none"
  return Option.getOrElse(Context.getOption(endpoint.annotations, Needs), () =>
    endpoint.method === "GET" ? "read" : "write",
  )
}

/** A call as any tRPC client sends it. */
export const callOf = async (client: Client, procedure: string, input: unknown): Promise<AnswerOf<RpcBody>> => {
  const isMutation = procedures.get(procedure)?._def.type === "mutation"
  const query = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`
  return isMutation
    ? client.post(`/trpc/${procedure}`, input)
    : client.get(`/trpc/${procedure}${query}`, { headers: { accept: "application/json" } })
}
