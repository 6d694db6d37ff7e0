/** The retries after one outcome, where they differ from the campaign's own. */
import { outcomeWords } from "../../figures/Outcomes.ts"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { counted } from "../../words/Figures.ts"
import { duration } from "../../words/Times.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { delays } from "./Delays.ts"
import "./RetryByOutcome.css"

type Rules = NonNullable<OpenCampaign["retry_by_outcome"]>
type RetriedOutcome = keyof Rules
interface Rule {
  readonly retries?: number
  readonly delay_seconds?: number
}

const retried: ReadonlyArray<RetriedOutcome> = ["no_answer", "busy", "voicemail", "carrier_error"]
const sameNumber = { id: "same", word: "Same number" }
const sameDelay = { id: "same", word: "Same delay" }

export interface RetryByOutcomeProps {
  /** The retries of the campaign, which no outcome exceeds. */
  readonly retries: number
  readonly rules: Rules | null
  readonly onChange: (rules: Rules | null) => void
}

export const RetryByOutcome = ({ retries, rules, onChange }: RetryByOutcomeProps) => {
  const put = (outcome: RetriedOutcome, rule: Rule) => {
    const { [outcome]: _, ...others } = rules ?? {}
    onChange(Object.keys(rule).length === 0 ? others : { ...others, [outcome]: rule })
  }
  return (
    <div className="RetryByOutcome">
      <Switch isOn={rules !== null} onChange={(isOn) => onChange(isOn ? {} : null)}>
        Other retries for some outcomes
      </Switch>
      {rules !== null &&
        retried.map((outcome) => (
          <OutcomeRule
            key={outcome}
            word={outcomeWords[outcome]}
            most={retries}
            rule={rules[outcome] ?? {}}
            onChange={(rule) => put(outcome, rule)}
          />
        ))}
    </div>
  )
}

interface OutcomeRuleProps {
  readonly word: string
  readonly most: number
  readonly rule: Rule
  readonly onChange: (rule: Rule) => void
}

const OutcomeRule = ({ word, most, rule: { delay_seconds, retries }, onChange }: OutcomeRuleProps) => {
  const numbers = Array.from({ length: Math.max(most, retries ?? 0) + 1 }, (_, number) => ({
    id: String(number),
    word: number === 0 ? "Never" : `At most ${counted(number, "retry", "retries")}`,
  }))
  const known = delays.some(({ id }) => id === String(delay_seconds))
  const times =
    delay_seconds === undefined || known
      ? delays
      : [...delays, { id: String(delay_seconds), word: duration(delay_seconds) }]
  return (
    <div className="RetryByOutcome-row" role="group" aria-label={word}>
      <span>{word}</span>
      <SelectMenu
        form="plain"
        label={`Retries after ${word.toLowerCase()}`}
        chosen={retries === undefined ? sameNumber.id : String(retries)}
        choices={[sameNumber, ...numbers]}
        onChoose={(id) =>
          onChange({
            ...(id !== sameNumber.id && { retries: Number(id) }),
            ...(delay_seconds !== undefined && { delay_seconds }),
          })
        }
      />
      <SelectMenu
        form="plain"
        label={`Delay after ${word.toLowerCase()}`}
        chosen={delay_seconds === undefined ? sameDelay.id : String(delay_seconds)}
        choices={[sameDelay, ...times]}
        onChoose={(id) =>
          onChange({
            ...(retries !== undefined && { retries }),
            ...(id !== sameDelay.id && { delay_seconds: Number(id) }),
          })
        }
      />
    </div>
  )
}
