/** The audit log in words: what was done, to what, and which fields changed. */
import type { AuditAction, AuditKind } from "../../../../src/domain/AuditActions.ts"
import type { Outputs } from "../../data/AccountPulse.ts"

export type Entry = Outputs["audit"]["list"]["items"][number]

export const actionWords: Record<AuditAction, string> = {
  "account.create": "created the account",
  "account.update": "changed the account",
  "account.delete": "deleted the account",
  "account.export": "exported the account",
  "account.import": "imported the account",
  "account.rotate_key": "changed the encryption key",
  "account.move": "moved the account to another database server",
  "member.put": "added or changed the member",
  "member.remove": "removed the member",
  "agent.create": "created the agent",
  "agent.update": "changed the agent",
  "agent.delete": "deleted the agent",
  "agent.restore": "restored a version of the agent",
  "agent.test": "ran scenarios of the agent",
  "agent.try": "tried the agent",
  "tool.create": "created the tool",
  "tool.update": "changed the tool",
  "tool.delete": "deleted the tool",
  "tool.try": "tried the tool",
  "playbook.create": "created the playbook",
  "playbook.update": "changed the playbook",
  "playbook.delete": "deleted the playbook",
  "faq.create": "created the FAQ",
  "faq.update": "changed the FAQ",
  "faq.delete": "deleted the FAQ",
  "phone_number.create": "added the phone number",
  "phone_number.update": "changed the phone number",
  "phone_number.delete": "deleted the phone number",
  "phone_number.check": "checked the phone number",
  "phone_number.rest": "rested the phone number",
  "phone_number.end_rest": "ended the rest of the phone number",
  "campaign.create": "created the campaign",
  "campaign.update": "changed the campaign",
  "campaign.delete": "deleted the campaign",
  "campaign.start": "started the campaign",
  "campaign.pause": "paused the campaign",
  "campaign.resume": "resumed the campaign",
  "campaign.stop": "stopped the campaign",
  "campaign.move_callback": "moved a callback of the campaign",
  "campaign.cancel_callback": "cancelled a callback of the campaign",
  "campaign.add_contacts": "added or changed contacts of the campaign",
  "campaign.withdraw_contacts": "withdrew contacts of the campaign",
  "campaign.export_results": "exported results of the campaign",
  "campaign.export_decisions": "exported dial decisions of the campaign",
  "call.place": "placed a call",
  "call.hang_up": "hung up a call",
  "call.set_disposition": "set the disposition of a call",
  "call.add_note": "wrote a note on a call",
  "call.delete_note": "deleted a note on a call",
  "call.whisper": "instructed the agent in a call",
  "call.take_over": "took a call over from the agent",
  "call.export": "exported calls",
  "call.listen": "listened to a call",
  "call.delete": "deleted a call",
  "call.pause_recording": "paused the recording of a call",
  "call.resume_recording": "resumed the recording of a call",
  "call.download_recording": "played or downloaded the recording of a call",
  "do_not_call.add": "added a number to the do-not-call list",
  "do_not_call.import": "imported a do-not-call list",
  "do_not_call.export": "exported the do-not-call list",
  "do_not_call.remove": "removed a number from the do-not-call list",
  "consent.record": "recorded consents",
  "consent.revoke": "recorded revocations of consents",
  "consent.export": "exported the consent ledger",
  "receipt.export": "exported the receipts of dials",
  "person.erase": "erased a person",
  "api_key.create": "created the API key",
  "api_key.delete": "revoked the API key",
  "widget_key.create": "created the widget key",
  "widget_key.delete": "deleted the widget key",
  "webhook.create": "created the webhook",
  "webhook.update": "changed the webhook",
  "webhook.delete": "deleted the webhook",
  "webhook.redeliver": "repeated deliveries of the webhook",
  "webhook.test": "tested the webhook",
  "export.create": "ordered an export of the account",
  "export.download": "downloaded an export of the account",
  "audit_log.export": "exported the audit log",
}

export const kindWords: Record<AuditKind, string> = {
  account: "Account",
  member: "Members",
  agent: "Agents",
  tool: "Tools",
  playbook: "Playbooks",
  faq: "FAQs",
  phone_number: "Phone numbers",
  campaign: "Campaigns",
  call: "Calls",
  do_not_call: "Do-not-call list",
  consent: "Consents",
  receipt: "Receipts",
  person: "Erased people",
  api_key: "API keys",
  widget_key: "Widget keys",
  webhook: "Webhooks",
  export: "Exports of the account",
  audit_log: "Audit log",
}

const numbered = new Set<AuditKind>(["do_not_call", "person"])

/**
 * The name of the object in the row. Undefined for objects whose id is a digest of a phone number, which means nothing
 * to a reader.
 */
export const objectWord = ({ object: { id, kind, name } }: Entry): string | undefined =>
  name ?? (id === null || numbered.has(kind) ? undefined : shorten(id))

const shorten = (id: string): string => (id.length === 36 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)

export const actorWord = ({ actor }: Entry): string => actor.name ?? actor.id ?? "unknown"

export const actorTag = { person: undefined, api_key: "API key", command_line: "command line" } as const

type Change = Entry["changes"][number]

/** `status: draft → running`. If the entry holds no values, only the field's name. */
export const changeWord = ({ after, before, field }: Change): string =>
  before === undefined && after === undefined
    ? fieldWord(field)
    : `${fieldWord(field)}: ${valueWord(before)} → ${valueWord(after)}`

const fieldWord = (field: string): string => field.replaceAll("_", " ")

const valueWord = (value: Change["after"]): string => {
  if (value === undefined || value === null) return "none"
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(valueWord).join(", ")
  if (typeof value === "boolean") return value ? "on" : "off"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
