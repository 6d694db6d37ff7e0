/** When a campaign leaves people alone: after a call that they answered, and at the time of day of earlier attempts. */
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { duration } from "../../words/Times.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"

type Settings = Pick<OpenCampaign, "quiet_after_answer_seconds" | "retry_time_of_day">

const periods = [
  { id: "none", word: "Call them as anyone else" },
  { id: "86400", word: "Leave them alone for 1 day" },
  { id: "259200", word: "Leave them alone for 3 days" },
  { id: "604800", word: "Leave them alone for 7 days" },
  { id: "2592000", word: "Leave them alone for 30 days" },
]

const timesOfDay = [
  { id: "none", word: "When the delay has passed" },
  { id: "rotate", word: "At another time of the day: morning, midday, afternoon or evening" },
  { id: "best", word: "At the time of day when they answered before, or most people do" },
]

export interface LeftAloneProps {
  readonly campaign: Settings
  readonly hasRetries: boolean
  readonly onChange: (change: { -readonly [K in keyof Settings]?: Settings[K] }) => void
}

export const LeftAlone = ({ campaign, hasRetries, onChange }: LeftAloneProps) => {
  const { quiet_after_answer_seconds, retry_time_of_day } = campaign
  const quiet = quiet_after_answer_seconds === null ? "none" : String(quiet_after_answer_seconds)
  return (
    <>
      {hasRetries && (
        <SelectMenu
          form="field"
          label="When to retry"
          chosen={retry_time_of_day ?? "none"}
          choices={timesOfDay}
          onChoose={(id) => onChange({ retry_time_of_day: id === "rotate" || id === "best" ? id : null })}
        />
      )}
      <SelectMenu
        form="field"
        label="People who answered a call of any campaign"
        chosen={quiet}
        choices={
          periods.some(({ id }) => id === quiet)
            ? periods
            : [...periods, { id: quiet, word: `Leave them alone for ${duration(Number(quiet))}` }]
        }
        onChoose={(id) => onChange({ quiet_after_answer_seconds: id === "none" ? null : Number(id) })}
      />
    </>
  )
}
