/** Why a campaign failed, or why it was paused because of its carrier, and what to do next. */
import { IconAlertTriangle } from "@tabler/icons-react"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "../new-campaign/Notes.css"

interface Trouble {
  readonly first: string
  readonly next?: string
}

const useAgain = "then choose Use again to call the people not reached."

const failures: Partial<Record<NonNullable<OpenCampaign["end_reason"]>, Trouble>> = {
  agent_missing: {
    first: "The campaign failed: its agent was deleted.",
    next: `Make another agent, ${useAgain}`,
  },
  phone_number_missing: {
    first: "The campaign failed: its phone number was deleted.",
    next: `Add another number, ${useAgain}`,
  },
  carrier_rejected: {
    first: "The campaign failed: calls can't be placed from its phone number.",
    next: `Check the number's carrier, ${useAgain}`,
  },
}

const troubleOf = ({ end_reason, status, waiting_detail, waiting_for }: OpenCampaign): Trouble | undefined => {
  if (status === "failed") return end_reason === null ? undefined : failures[end_reason]
  if (status !== "paused" || waiting_for !== "carrier") return undefined
  // The server's sentence has the figures, and says what to do.
  return { first: waiting_detail ?? "The carrier failed too many calls, so the campaign was paused." }
}

export const WhyItEnded = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const trouble = troubleOf(campaign)
  if (trouble === undefined) return null
  return (
    <div className="Note" role="status">
      <IconAlertTriangle className="Note-stop" aria-hidden />
      <div className="Note-words">
        <p className="panel-title">{trouble.first}</p>
        {trouble.next !== undefined && <p className="second-line">{trouble.next}</p>}
      </div>
    </div>
  )
}
