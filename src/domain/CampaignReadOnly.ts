/**
 * Fields that a client may send back and that change nothing (decisions §2, Updates). Free of imports, so that forms
 * can use them.
 */
export const campaignReadOnly = [
  "id",
  "agent_version",
  "rule_pack_versions",
  "status",
  "counts",
  "import",
  "variables",
  "waiting_for",
  "waiting_detail",
  "created_at",
  "updated_at",
  "started_at",
  "ended_at",
  "end_reason",
] as const

/** In an update, the fields that only the upload of contacts takes are read-only too. */
export const campaignReadOnlyInUpdate = [
  ...campaignReadOnly,
  "duplicate_policy",
  "default_country",
  "priority_column",
  "additional_number_columns",
] as const
