/** Why a contact was not dialled when it was due. */
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useNow } from "../../shell/Clock.ts"
import { moment } from "../../words/Times.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { type BestPart, sayWhyBest } from "../../words/BestPart.ts"

type Decisions = Outputs["campaigns"]["contacts"]["get"]["decisions"]

const reasons = {
  calling_window: "outside of their hours",
  no_consent: "no consent as the campaign requires it",
  outside_window: "their calling hours never come, or their time zone is unknown",
  do_not_call: "on the do-not-call list",
  rule: "refused by a rule",
  time_of_day: "waits for another part of the day",
  quiet_period: "they answered a call too recently",
} as const

interface Refusing {
  readonly pack: string
  readonly version: string
  readonly title: string
}

/** The pack and the rule that refused, as the decision recorded them. */
const ruleOf = (record: Decisions[number]["record"]): Refusing | undefined => {
  const { rule } = record as { readonly rule?: Refusing | null }
  return rule ?? undefined
}

/** The subject of the entry of the do-not-call list that refused; undefined if it forbids all calls. */
const subjectOf = (record: Decisions[number]["record"]): string | undefined => {
  const { suppression } = record as { readonly suppression?: { readonly subject?: string | null } | null }
  return suppression?.subject ?? undefined
}

const whyPutOff = ({ reason, record }: Decisions[number]): string => {
  const { time_of_day } = record as { readonly time_of_day?: BestPart }
  const rule = ruleOf(record)
  if (rule !== undefined) return `${rule.title} (${rule.pack}, version ${rule.version})`
  return time_of_day?.because === undefined ? reasons[reason] : `${reasons[reason]}: ${sayWhyBest(time_of_day)}`
}

export const Refusals = ({ decisions }: { readonly decisions: Decisions }) => {
  const zone = useZone()
  const now = useNow()
  return (
    <ul>
      {decisions.map((one) => {
        const { count, decision, last_at, reason, record, until } = one
        return (
          <li key={`${decision} ${reason}`} className="Attempts-line">
            <OutcomeGlyph of="skipped" />
            <span className="name">{decision === "skipped" ? "Skipped" : "Put off"}</span>
            <span className="second-line">
              {whyPutOff(one)}
              {subjectOf(record) !== undefined && ` for calls about ${subjectOf(record)}`}
              {until !== null && `, until ${moment(new Date(until), now, zone)}`}
              {count > 1 && `, ${count} times`}
            </span>
            <span className="Attempts-when">{moment(new Date(last_at), now, zone)}</span>
          </li>
        )
      })}
    </ul>
  )
}
