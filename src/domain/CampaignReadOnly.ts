/** Known fields that a client may send back, and that change nothing (decisions §2, Updates). Plain words, so that forms can import them too. */
export const campaignReadOnly = [
  "id",
  "agent_version",
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

/** And in an update also what only the upload of contacts takes. */
export const campaignReadOnlyInUpdate = [...campaignReadOnly, "duplicate_policy", "default_country"] as const
