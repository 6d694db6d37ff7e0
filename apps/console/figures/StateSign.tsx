/** The state of a campaign as a shape and a word. */
import { IconAlertTriangle, IconCheck, IconClock, IconFile, IconSquare } from "@tabler/icons-react"
import type { ReactNode } from "react"
import "./StateSign.css"

export type CampaignState =
  | "running"
  | "waiting"
  | "scheduled"
  | "paused"
  | "draft"
  | "completed"
  | "stopped"
  | "failed"

/** Two bars, thin as the other icons. */
export const PauseBars = () => (
  <svg width="16" height="16" viewBox="0 0 16 16" stroke="currentColor" strokeWidth="1.4" aria-hidden>
    <path d="M5.5 3.5v9M10.5 3.5v9" />
  </svg>
)

const signs: Record<CampaignState, { readonly word: string; readonly shape: ReactNode }> = {
  running: { word: "Running", shape: <span className="StateSign-dot" /> },
  waiting: { word: "Waiting", shape: <IconClock aria-hidden /> },
  scheduled: { word: "Scheduled", shape: <IconClock aria-hidden /> },
  paused: { word: "Paused", shape: <PauseBars /> },
  draft: { word: "Draft", shape: <IconFile aria-hidden /> },
  completed: { word: "Completed", shape: <IconCheck aria-hidden /> },
  stopped: { word: "Stopped", shape: <IconSquare aria-hidden /> },
  failed: { word: "Failed", shape: <IconAlertTriangle aria-hidden /> },
}

export const StateSign = ({ of }: { readonly of: CampaignState }) => (
  <span className={`StateSign StateSign-${of}`}>
    {signs[of].shape}
    {signs[of].word}
  </span>
)

export const stateWord = (state: CampaignState): string => signs[state].word

interface Shown {
  readonly status: "draft" | "running" | "paused" | "completed" | "failed"
  readonly scheduled_at: string | Date | null
  readonly waiting_for: string | null
  readonly end_reason: string | null
}

/**
 * A draft with a start time is scheduled; one that waits for slots is waiting. A stopped campaign has not called all
 * its contacts, so it is not shown as completed.
 */
export const stateOf = ({ end_reason, scheduled_at, status, waiting_for }: Shown): CampaignState => {
  if (status === "completed") return end_reason === "stopped" ? "stopped" : "completed"
  if (status !== "draft") return status
  if (waiting_for === "budget") return "waiting"
  return scheduled_at === null ? "draft" : "scheduled"
}
