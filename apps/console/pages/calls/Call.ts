/** A call in the words of its pages: whether it is in progress, the other party, and why it ended. */
import type { Outputs } from "../../data/AccountPulse.ts"
import type { LiveCall } from "../../data/LiveCalls.ts"
import type { Outcome, Phase } from "../../figures/Outcomes.ts"

export type OpenCall = Outputs["calls"]["get"]

export const isLive = ({ status }: Pick<LiveCall, "status">): boolean => status !== "completed" && status !== "failed"

/** Whether the call's result is still being read from its transcript. */
export const isBeingRead = ({ extraction }: OpenCall): boolean => extraction?.state === "pending"

/** The call's outcome, or its phase while it is in progress. */
export const phaseOf = ({ outcome, status }: Pick<LiveCall, "outcome" | "status">): Outcome | Phase =>
  outcome ?? (status === "in_progress" ? "in_call" : "ringing")

export const endWords: Record<NonNullable<OpenCall["end_reason"]>, string> = {
  not_answered: "Not answered",
  caller_hung_up: "The other side hung up",
  agent_hung_up: "The agent hung up",
  hung_up: "Hung up from the console or the API",
  transferred: "Handed over to a person",
  not_taken: "The person didn't take the transfer",
  voicemail: "Reached a voicemail",
  opted_out: "Asked not to be called again",
  silence: "Ended after silence",
  max_duration: "Reached the maximum length",
  line_lost: "The connection was lost",
  agent_error: "The agent failed",
  agent_missing: "The agent no longer exists",
  phone_number_missing: "The number no longer exists",
  carrier_unavailable: "The carrier is not available",
  interrupted: "The server stopped during the call",
}

export const toWords = (name: string): string => name.replaceAll("_", " ")

export type Author = OpenCall["takeovers"][number]["by"]

/** Shows the email, because two members may share a first name. */
export const authorName = (author: Author): string =>
  author.type === "api_key" ? `the key ${author.name}` : (author.email ?? author.subject)
