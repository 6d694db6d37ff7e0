/** The tables of an account in an archive, in an order in which the rows that a foreign key refers to come first. */

export interface TablePlan {
  readonly table: string
  /**
   * `data` is what the account's owner may have. `work` is what dialling and the event log need to continue elsewhere;
   * only an archive for a move contains it.
   */
  readonly kind: "data" | "work"
  /** Columns with hashes and sealed secrets, which only an archive for a move contains. */
  readonly secretColumns?: ReadonlyArray<string>
  /** Columns whose secrets are masked in a copy for the owner. */
  readonly maskedColumns?: ReadonlyArray<string>
}

const data = (table: string, more: Omit<TablePlan, "table" | "kind"> = {}): TablePlan => ({
  table,
  kind: "data",
  ...more,
})
const work = (table: string): TablePlan => ({ table, kind: "work" })

export const tablePlan: ReadonlyArray<TablePlan> = [
  work("budget"),
  data("tools", { maskedColumns: ["implementation_config"] }),
  data("playbooks"),
  data("faqs"),
  work("faq_embeddings"),
  data("agents"),
  data("agent_contents"),
  data("agent_versions"),
  data("agent_tools"),
  data("agent_playbooks"),
  data("agent_faqs"),
  data("scenario_runs"),
  data("phone_numbers", { maskedColumns: ["carrier_config"] }),
  work("number_paces"),
  data("number_days"),
  data("number_rests"),
  data("part_days"),
  data("campaigns"),
  data("campaign_progress"),
  work("carrier_health"),
  data("contacts"),
  data("decisions"),
  data("calls"),
  data("extractions"),
  data("tool_requests"),
  data("carrier_calls"),
  data("call_listeners"),
  data("call_takeovers"),
  data("call_notes"),
  data("recordings"),
  data("dial_records"),
  data("receipt_seals"),
  data("receipts"),
  data("rule_contents"),
  data("suppressions"),
  data("subject_suppressions"),
  data("consents"),
  work("erased_suppressions"),
  work("call_seconds"),
  work("answered_days"),
  data("api_keys", { secretColumns: ["secret_hash"] }),
  data("widget_keys", { secretColumns: ["secret_hash"] }),
  data("webhooks", { secretColumns: ["secret", "previous_secret", "previous_secret_until"] }),
  data("webhook_deliveries"),
  data("event_batches"),
  work("event_log"),
  data("audit_entries"),
  work("retention"),
]
