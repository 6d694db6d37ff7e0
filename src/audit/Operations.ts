/**
 * Which operations of the REST API, and which procedures of the router, are which action of the audit log. Every
 * operation that writes is here, or test/audit/Operations.test.ts says why not.
 */
import type { AuditAction } from "../domain/AuditActions.ts"

/** How the entry is written. */
type Manner =
  /** The edge runs the whole operation in one transaction. */
  | "whole"
  /**
   * The room writes the entry itself. It does so in a transaction of its own, because the operation has several
   * transactions, waits between them or holds a lock; or before the operation does what no transaction of the account's
   * database can contain.
   */
  | "own"
  /** The action changes nothing that lasts, so the entry is written after it. */
  | "after"

export interface AuditedOperation {
  readonly action: AuditAction
  readonly manner: Manner
  /**
   * The parameter of the path, and the field of the procedure's input, that name the object. Null if the operation
   * creates the object, or names it for the entry itself.
   */
  readonly object: { readonly rest: string; readonly rpc: string } | null
  /** Whether a request that changes nothing leaves no entry. */
  readonly isChange: boolean
  readonly onceInMinutes?: number
  /** `group.endpoint` */
  readonly rest: ReadonlyArray<string>
  readonly procedures: ReadonlyArray<string>
}

type Names = { readonly rest?: ReadonlyArray<string>; readonly procedures?: ReadonlyArray<string> }
type Rest = Partial<Omit<AuditedOperation, "action" | "rest" | "procedures">>

const byId = { rest: "id", rpc: "id" }
const ofAgent = { object: { rest: "id", rpc: "agent_id" }, isChange: true }
const ofWebhook = { object: { rest: "id", rpc: "webhook_id" } }

const operation = (action: AuditAction, { procedures = [], rest = [] }: Names, more: Rest = {}): AuditedOperation => ({
  action,
  manner: "whole",
  object: byId,
  isChange: false,
  rest,
  procedures,
  ...more,
})

/** An operation that both the REST API and the router have. */
const both = (action: AuditAction, rest: string, procedure: string, more?: Rest) =>
  operation(action, { rest: [rest], procedures: [procedure] }, more)

const create = { object: null } as const
const change = { isChange: true } as const

/** An operation on a campaign holds the budget's lock, for which dialling waits, so its room writes the entry. */
const ofCampaign = (action: AuditAction, name: string, more: Rest = change) =>
  both(action, `campaigns.${name}`, `campaigns.${name}`, { manner: "own", ...more })
const ofCallback = { manner: "own", object: { rest: "id", rpc: "campaign_id" } } as const
const ofList = { object: { rest: "id", rpc: "campaign_id" }, manner: "own", isChange: true } as const
const ofCall = (action: AuditAction, name: string, manner: Manner = "own") =>
  both(action, `calls.${name}`, `calls.${name}`, { manner })
/** At most one entry in ten minutes: a player requests a recording in many parts, and a download may be resumed. */
const repeated = { onceInMinutes: 10 }

export const audited: ReadonlyArray<AuditedOperation> = [
  both("agent.create", "agents.create", "agents.create", create),
  operation("agent.update", { rest: ["agents.update"], procedures: ["agents.update", "agents.save"] }, change),
  both("agent.delete", "agents.remove", "agents.remove"),
  both("agent.restore", "agent-versions.restore", "agents.versions.restore", ofAgent),
  operation(
    "agent.update",
    {
      rest: ["enableTool", "disableTool", "attachPlaybook", "detachPlaybook", "attachFaq", "detachFaq"].map(
        (name) => `agent-kit.${name}`,
      ),
      procedures: [
        "tools.enable",
        "tools.disable",
        "playbooks.attach",
        "playbooks.detach",
        "faqs.attach",
        "faqs.detach",
      ].map((name) => `agents.${name}`),
    },
    ofAgent,
  ),
  both("agent.test", "scenario-runs.begin", "agents.scenarioRuns.begin", { ...ofAgent, isChange: false }),
  both("agent.try", "playground.preview", "agents.preview", { manner: "after", ...repeated }),
  ...(["tool", "playbook", "faq"] as const).flatMap((kind) => [
    both(`${kind}.create`, `${kind}s.create`, `${kind}s.create`, create),
    both(`${kind}.update`, `${kind}s.update`, `${kind}s.update`, change),
    both(`${kind}.delete`, `${kind}s.remove`, `${kind}s.remove`),
  ]),
  both("tool.try", "playground.invoke", "tools.invoke", { manner: "own" }),
  both("phone_number.create", "phone-numbers.create", "phoneNumbers.create", create),
  both("phone_number.update", "phone-numbers.update", "phoneNumbers.update", change),
  both("phone_number.delete", "phone-numbers.remove", "phoneNumbers.remove"),
  both("phone_number.check", "phone-numbers.check", "phoneNumbers.check", { manner: "after" }),
  both("phone_number.rest", "caller-numbers.rest", "callerNumbers.rest"),
  both("phone_number.end_rest", "caller-numbers.endRest", "callerNumbers.endRest"),
  operation("campaign.create", { rest: ["campaign-creation.create"] }, { manner: "own", ...create }),
  both("campaign.create", "campaigns.copy", "campaigns.copy", { manner: "own", ...create }),
  ofCampaign("campaign.update", "update"),
  ofCampaign("campaign.start", "start"),
  ofCampaign("campaign.pause", "pause"),
  ofCampaign("campaign.resume", "resume"),
  ofCampaign("campaign.stop", "stop"),
  ofCampaign("campaign.delete", "remove", {}),
  both("campaign.move_callback", "campaign-callbacks.move", "campaigns.callbacks.move", ofCallback),
  both("campaign.cancel_callback", "campaign-callbacks.cancel", "campaigns.callbacks.cancel", ofCallback),
  both("campaign.add_contacts", "contact-changes.add", "campaigns.contacts.add", ofList),
  operation(
    "campaign.withdraw_contacts",
    {
      rest: ["contact-changes.withdraw", "contact-changes.withdrawMany"],
      procedures: ["campaigns.contacts.withdraw", "campaigns.contacts.withdrawMany"],
    },
    ofList,
  ),
  operation("campaign.export_results", { rest: ["campaign-contacts.results"] }, { manner: "own" }),
  operation("campaign.export_decisions", { rest: ["campaign-contacts.decisions"] }, { manner: "own" }),
  both("call.place", "calls.place", "calls.place", { manner: "own", ...create }),
  ofCall("call.hang_up", "hangUp"),
  ofCall("call.whisper", "whisper"),
  ofCall("call.set_disposition", "setDisposition"),
  ofCall("call.add_note", "addNote"),
  ofCall("call.delete_note", "deleteNote"),
  ofCall("call.take_over", "takeOver", "after"),
  ofCall("call.pause_recording", "pauseRecording"),
  ofCall("call.resume_recording", "resumeRecording"),
  ofCall("call.delete", "remove"),
  operation("call.export", { rest: ["calls.export"] }, { manner: "own", ...create }),
  operation("call.listen", { rest: ["calls.listen"] }, { manner: "own" }),
  operation("call.download_recording", { rest: ["calls.recording"] }, { manner: "own", ...repeated }),
  both("do_not_call.add", "suppressions.add", "suppressions.add", create),
  operation("do_not_call.import", { rest: ["suppression-lists.import"] }, { manner: "own", ...create }),
  operation("do_not_call.export", { rest: ["suppression-lists.export"] }, { manner: "own", ...create }),
  both("do_not_call.remove", "suppressions.remove", "suppressions.remove", create),
  both("consent.record", "consents.record", "consents.record", create),
  both("consent.revoke", "consents.revoke", "consents.revoke", create),
  operation("consent.export", { rest: ["consent-export.csv"] }, { manner: "own", ...create }),
  operation("receipt.export", { rest: ["receipt-export.file"] }, { manner: "own", ...create }),
  both("person.erase", "people.erase", "people.erase", { manner: "own", ...create }),
  both("api_key.create", "api-keys.create", "apiKeys.create", create),
  both("api_key.delete", "api-keys.remove", "apiKeys.remove"),
  both("widget_key.create", "widget-keys.create", "widgetKeys.create", create),
  both("widget_key.delete", "widget-keys.remove", "widgetKeys.remove"),
  both("webhook.create", "webhooks.create", "webhooks.create", create),
  both("webhook.update", "webhooks.update", "webhooks.update", change),
  both("webhook.delete", "webhooks.remove", "webhooks.remove"),
  both("webhook.redeliver", "webhooks.redeliver", "webhooks.redeliver", ofWebhook),
  operation("webhook.redeliver", { procedures: ["webhooks.redeliverAll"] }, ofWebhook),
  operation("webhook.test", { procedures: ["webhooks.test"] }, { manner: "after" }),
  operation("account.update", { procedures: ["account.settings.update"] }, { manner: "own", ...create, ...change }),
  operation("member.put", { procedures: ["account.settings.members.put"] }, { manner: "own", ...create }),
  operation("member.remove", { procedures: ["account.settings.members.remove"] }, { manner: "own", ...create }),
  both("export.create", "exports.begin", "exports.begin", create),
  operation("export.download", { rest: ["exports.file"] }, { manner: "own", ...repeated }),
  operation("audit_log.export", { rest: ["audit.csv"] }, { manner: "own", ...create }),
]

/** Operations of administrators. Their entries are in the installation's log, and their rooms write them. */
const ofAdministrators = {
  rest: ["create", "update", "remove", "putMember", "removeMember"].map((name) => `admin.${name}`),
  procedures: ["create", "update", "remove", "members.put", "members.remove"].map((name) => `accounts.${name}`),
}

const byRest = new Map(audited.flatMap((one) => one.rest.map((name) => [name, one] as const)))
const byProcedure = new Map(audited.flatMap((one) => one.procedures.map((name) => [name, one] as const)))

/** The audited operation with this name, `group.endpoint`; undefined for others. */
export const ofEndpoint = (name: string): AuditedOperation | undefined => byRest.get(name)
/** The audited operation with this path in the router; undefined for others. */
export const ofProcedure = (path: string): AuditedOperation | undefined => byProcedure.get(path)

export const isOfAdministrators = (name: string): boolean =>
  ofAdministrators.rest.includes(name) || ofAdministrators.procedures.includes(name)
