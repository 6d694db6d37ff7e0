/** The attempts to call a contact, newest first. Each opens the record of why it was made. */
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { outcomeWords } from "../../figures/Outcomes.ts"
import { useNow } from "../../shell/Clock.ts"
import { Tag } from "../../ui/Tag.tsx"
import { ordinal } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { duration, exactClock, moment, secondsBetween, utc } from "../../words/Times.ts"
import { DecisionRecord } from "./DecisionRecord.tsx"
import { Refusals } from "./Refusals.tsx"
import "./Attempts.css"

type Contact = Outputs["campaigns"]["contacts"]["get"]
type Attempt = Contact["attempt_log"][number]

export const Attempts = ({ contact, opened }: { readonly contact: Contact; readonly opened: string | undefined }) => {
  const zone = useZone()
  const now = useNow()
  const navigate = useNavigate({ from: "/$account/campaigns/$id/contacts" })
  const { attempt_log, attempts, decisions, next_attempt_at, status } = contact
  const newestFirst = attempt_log.toReversed()
  const open = opened ?? newestFirst[0]?.id
  const isPlanned = status === "pending" && attempts > 0
  return (
    <section aria-label="Attempts">
      <h3 className="panel-title">Attempts</h3>
      {attempt_log.length === 0 && !isPlanned && <p className="quiet Attempts-none">Not called yet.</p>}
      <ol className="Attempts">
        {isPlanned && (
          <li className="Attempts-line">
            <OutcomeGlyph of="ringing" />
            <span className="quiet">{ordinal(attempts + 1)} attempt</span>
            <span className="Attempts-when">
              {next_attempt_at === null ? "planned" : `${moment(new Date(next_attempt_at), now, zone)}, planned`}
            </span>
          </li>
        )}
        {newestFirst.map((attempt) => (
          <li key={attempt.id}>
            <button
              type="button"
              className="Attempts-line Attempts-button"
              aria-expanded={attempt.id === open}
              onClick={() =>
                void navigate({
                  search: (before) => ({ ...before, attempt: attempt.id === open ? "none" : attempt.id }),
                  replace: true,
                  resetScroll: false,
                })
              }
            >
              <OutcomeGlyph of={attempt.outcome ?? "in_call"} />
              <span className="name">{attempt.outcome === null ? "In call" : outcomeWords[attempt.outcome]}</span>
              <span className="second-line">
                {aboutTry(attempt)}
                {contact.additional_numbers.length > 0 && `, ${formatNumber(attempt.to)}`}
              </span>
              <time className="Attempts-when" dateTime={attempt.started_at} title={utc(new Date(attempt.started_at))}>
                {exactClock(new Date(attempt.started_at), zone)}
              </time>
              {attempt.id === open ? <IconChevronDown aria-hidden /> : <IconChevronRight aria-hidden />}
            </button>
            {attempt.disposition !== null && (
              <p className="Attempts-disposition second-line">
                {attempt.disposition.label} <Tag>{attempt.disposition.final ? "final disposition" : "disposition"}</Tag>
              </p>
            )}
            {attempt.id === open && <DecisionRecord attempt={attempt} />}
          </li>
        ))}
      </ol>
      {decisions.length > 0 && <Refusals decisions={decisions} />}
    </section>
  )
}

/** "2nd attempt, rang 30 s". */
const aboutTry = ({ answered_at, ended_at, number, started_at }: Attempt): string => {
  const nth = `${ordinal(number)} attempt`
  if (ended_at === null) return nth
  const from = new Date(answered_at ?? started_at)
  const took = duration(secondsBetween(from, new Date(ended_at)))
  return answered_at === null ? `${nth}, rang ${took}` : `${nth}, ${took}`
}
