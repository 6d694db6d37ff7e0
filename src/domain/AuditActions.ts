/** The actions and objects of the audit log. Free of imports: forms in a browser use them too. */

/** Every action that leaves an entry, as `kind.verb`. `audit/Operations.ts` says which operation is which action. */
export const auditActions = [
  ...["account.create", "account.update", "account.delete", "account.export", "account.import", "account.rotate_key"],
  "account.move",
  ...["member.put", "member.remove"],
  ...["agent.create", "agent.update", "agent.delete", "agent.restore", "agent.test", "agent.try"],
  ...["tool.create", "tool.update", "tool.delete", "tool.try"],
  ...["playbook.create", "playbook.update", "playbook.delete"],
  ...["faq.create", "faq.update", "faq.delete"],
  ...["phone_number.create", "phone_number.update", "phone_number.delete", "phone_number.check"],
  ...["phone_number.rest", "phone_number.end_rest"],
  ...["campaign.create", "campaign.update", "campaign.delete"],
  ...["campaign.start", "campaign.pause", "campaign.resume", "campaign.stop"],
  ...["campaign.export_results", "campaign.export_decisions"],
  ...["campaign.move_callback", "campaign.cancel_callback"],
  ...["campaign.add_contacts", "campaign.withdraw_contacts"],
  ...["call.place", "call.hang_up", "call.whisper", "call.take_over", "call.listen", "call.export", "call.delete"],
  ...["call.set_disposition", "call.add_note", "call.delete_note"],
  ...["call.pause_recording", "call.resume_recording", "call.download_recording"],
  ...["do_not_call.add", "do_not_call.remove", "do_not_call.import", "do_not_call.export"],
  ...["consent.record", "consent.revoke", "consent.export", "receipt.export"],
  ...["person.erase"],
  ...["api_key.create", "api_key.delete"],
  ...["widget_key.create", "widget_key.delete"],
  ...["webhook.create", "webhook.update", "webhook.delete", "webhook.redeliver", "webhook.test"],
  ...["export.create", "export.download"],
  ...["audit_log.export"],
] as const
export type AuditAction = (typeof auditActions)[number]

export const auditKinds = [
  ...["account", "member", "agent", "tool", "playbook", "faq", "phone_number", "campaign", "call", "do_not_call"],
  ...["consent", "receipt", "person", "api_key", "widget_key", "webhook", "export", "audit_log"],
] as const
export type AuditKind = (typeof auditKinds)[number]

export const kindOf = (action: AuditAction): AuditKind => action.slice(0, action.indexOf(".")) as AuditKind
