/** Inputs of the operations on calls. */
import { z } from "zod"
import { judged, Outcome } from "./Campaigns.ts"
import {
  AgentId,
  DispositionKey,
  JsonObject,
  Key,
  notBlank,
  page,
  PhoneNumberId,
  PhoneNumberText,
  Search,
  Timestamp,
  Uuid,
  writable,
} from "./Fields.ts"

const readOnly = [
  "id",
  "direction",
  "status",
  "outcome",
  "end_reason",
  "agent_name",
  "agent_version",
  "campaign_id",
  "contact_id",
  "from",
  "started_at",
  "answered_at",
  "ended_at",
  "duration_seconds",
  "result",
  "disposition",
  "result_fields",
  "extraction",
  "cost",
  "recording",
  "recording_state",
  "recording_pauses",
  "transfer_of",
  "transfers",
  "listeners",
  "takeovers",
  "notes",
  "transcript",
  "tool_invocations",
  "turns",
  "answered_by",
  "disclosure",
  "opt_out",
  "sound",
  "first_word_ms",
  "decision",
  "receipt",
]

export const NewCall = writable(
  {
    agent_id: AgentId,
    phone_number_id: PhoneNumberId,
    to: PhoneNumberText,
    variables: JsonObject.exactOptional(),
    ...judged,
  },
  readOnly,
)

export const NewDisposition = writable({ id: Key, key: DispositionKey }, ["label", "final", "source", "by", "at"])

export const NewCallNote = writable({ id: Key, text: notBlank(4_000) }, ["by", "created_at"])
export const CallNoteKey = z.strictObject({ id: Key, note_id: Key })

export const Whisper = z.strictObject({ id: Key, text: notBlank(1_000) })

export const CallKey = z.strictObject({ id: Key })
export const CallList = z
  .strictObject({
    ...page(),
    campaign_id: Uuid.exactOptional(),
    agent_id: Uuid.exactOptional(),
    status: z.enum(["queued", "ringing", "in_progress", "completed", "failed"]).exactOptional(),
    outcome: Outcome.exactOptional(),
    direction: z.enum(["outbound", "inbound", "web"]).exactOptional(),
    disposition: DispositionKey.exactOptional(),
    from: Timestamp.exactOptional(),
    to: Timestamp.exactOptional(),
    search: Search.exactOptional(),
  })
  .prefault({})

/** The number of the last event that the client received; tRPC's client sends it when it reconnects. */
const lastEventId = z
  .string()
  .regex(/^\d{1,9}$/u, "must be the id of an item of this stream")
  .nullish()

export const LiveCalls = z.strictObject({ campaign_id: Uuid.exactOptional(), lastEventId }).prefault({})
export const LiveTranscript = z.strictObject({ id: Key, lastEventId })
