/** The four steps with the user's choices. A step is a link once it can be opened. */
import { IconCheck } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { useZone } from "../../data/AccountPulse.ts"
import { useAgentNames } from "../../data/Campaigns.ts"
import { usePhoneNumber } from "../../data/PhoneNumber.ts"
import { useNow } from "../../shell/Clock.ts"
import { counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { clock, planned } from "../../words/Times.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import type { NewDraft } from "./Upload.ts"
import "./Steps.css"

export type Step = "agent" | "contacts" | "pace" | "review"

export interface StepsProps {
  readonly step: Step
  readonly known: Partial<NewDraft>
  readonly campaign: OpenCampaign | undefined
  readonly fileName: string | undefined
}

export const Steps = ({ campaign, fileName, known, step }: StepsProps) => {
  const zone = useZone()
  const now = useNow()
  const agents = useAgentNames()
  const agent = known.agent_id === undefined ? undefined : agents.get(known.agent_id)
  const number = usePhoneNumber(known.phone_number_id)
  const steps = [
    {
      id: "agent" as const,
      word: "Agent and number",
      note: [agent, number === undefined ? undefined : formatNumber(number)]
        .filter((part) => part !== undefined)
        .join(", "),
      isDone: agent !== undefined && number !== undefined && step !== "agent",
      canOpen: true,
    },
    {
      id: "contacts" as const,
      word: "Contacts",
      note: fileName ?? (campaign === undefined ? "a CSV" : counted(campaign.counts.total, "contact")),
      isDone: campaign !== undefined && step !== "contacts",
      canOpen: agent !== undefined && number !== undefined,
    },
    {
      id: "pace" as const,
      word: "Pace and hours",
      note:
        campaign === undefined
          ? "slots, retries, hours"
          : `${counted(campaign.max_concurrent_calls, "slot")}, ${counted(campaign.retries_per_contact, "retry", "retries")}`,
      isDone: step === "review",
      canOpen: campaign !== undefined,
    },
    {
      id: "review" as const,
      word: "Review",
      note:
        campaign === undefined || campaign.scheduled_at === null
          ? "start now or at a time"
          : `starts ${planned(new Date(campaign.scheduled_at), now, zone)}`,
      isDone: false,
      canOpen: campaign !== undefined,
    },
  ]
  return (
    <nav aria-label="Steps">
      <ol className="Steps">
        {steps.map(({ canOpen, id, isDone, note, word }, at) => {
          const inside = (
            <>
              <span className={`Steps-number ${isDone ? "Steps-done" : ""}`} aria-hidden>
                {isDone ? <IconCheck size={14} /> : at + 1}
              </span>
              <span>
                <span className="name">{word}</span>
                <span className="Table-second">{note}</span>
              </span>
            </>
          )
          return (
            <li key={id}>
              {canOpen ? (
                <Link
                  to="."
                  search={(before) => ({ ...before, step: id })}
                  className="Steps-step"
                  activeProps={{}}
                  aria-current={id === step ? "step" : undefined}
                  data-open={id === step ? "" : undefined}
                >
                  {inside}
                </Link>
              ) : (
                <span className="Steps-step Steps-closed">{inside}</span>
              )}
            </li>
          )
        })}
      </ol>
      {campaign !== undefined && (
        <p className="second-line Steps-saved">
          Saved as a draft at {clock(new Date(campaign.updated_at), zone)}. Nobody is called before you start it.
        </p>
      )}
    </nav>
  )
}
