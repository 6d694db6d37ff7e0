/** One person: which campaigns call them and when, which calls there were, and whether they may be called. */
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { beat, type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { useNow } from "../../shell/Clock.ts"
import { Page } from "../../shell/Page.tsx"
import { Columns } from "../../ui/Columns.tsx"
import { Empty, type EmptyProps } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { length, moment, secondsBetween, utc } from "../../words/Times.ts"
import { ErasePerson } from "../calls/ErasePerson.tsx"
import { ContactOutcome } from "../campaign/ContactOutcome.tsx"
import "../../ui/Table.css"
import "./PersonPage.css"

type Person = Outputs["people"]["get"]

const calls = { outbound: "called", inbound: "called you", web: "on a page" } as const

export const PersonPage = () => {
  const { number } = useParams({ from: "/$account/people/$number" })
  const rpc = useRpc()
  const { data, error, refetch } = useQuery(
    rpc.people.get.queryOptions({ phone_number: number }, { refetchInterval: beat * 2 }),
  )
  const zone = useZone()
  const now = useNow()
  const shown = formatNumber(data?.phone_number ?? number)
  return (
    <Page
      title={shown}
      name={shown}
      second={data === undefined ? undefined : summary(data, now, zone)}
      acts={data === undefined ? undefined : <ErasePerson number={data.phone_number} />}
    >
      {data !== undefined ? (
        <div className="Person">
          <Contacts contacts={data.contacts} />
          <Calls calls={data.calls} />
        </div>
      ) : error === null ? (
        <Loading label="Person" />
      ) : (
        <Failed what="The person" error={error} onRetry={refetch} notFound="This is not a phone number." />
      )}
    </Page>
  )
}

const summary = (person: Person, now: Date, zone: string): string => {
  const subjects = person.subject_suppressions.flatMap(({ expires_at, subject }) =>
    subject === null || (expires_at !== null && new Date(expires_at) <= now) ? [] : [subject],
  )
  return [
    person.do_not_call ? "On the do-not-call list" : "Not on the do-not-call list",
    subjects.length === 0 ? undefined : `not to be called about ${subjects.join(", ")}`,
    person.live_call_id === null ? undefined : "in a call now",
    `called ${counted(person.calls_today, "time")} today, ${counted(person.calls_in_7_days, "time")} in 7 days`,
    person.last_answered_at === null
      ? "never answered"
      : `last answered ${moment(new Date(person.last_answered_at), now, zone)}`,
  ]
    .filter((part) => part !== undefined)
    .join(" · ")
}

const Nothing = (empty: EmptyProps) => (
  <div className="Table-frame">
    <Empty {...empty} />
  </div>
)

const contactColumns = [
  { word: "Campaign" },
  { word: "Last outcome" },
  { word: "Attempts", isFigure: true },
  { word: "Next call", isFigure: true },
]

const Contacts = ({ contacts }: Pick<Person, "contacts">) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  if (contacts.length === 0) {
    return <Nothing title="No campaign has this number">Contacts appear here when a list has the number.</Nothing>
  }
  return (
    <div className="Table-frame">
      <table className="Table" aria-label="Campaigns">
        <Columns columns={contactColumns} />
        <tbody>
          {contacts.map((contact) => (
            <tr key={contact.id} className="Table-row">
              <td>
                <Link
                  to="/$account/campaigns/$id/contacts"
                  params={{ account: slug, id: contact.campaign_id }}
                  search={{ contact: contact.id }}
                  className="Table-link"
                >
                  {contact.campaign_name}
                </Link>{" "}
                <span className="second-line">{contact.campaign_status}</span>
              </td>
              <td>
                <ContactOutcome contact={contact} />
              </td>
              <td className="Table-figure">{contact.attempts}</td>
              <td className="Table-figure second-line">{nextCall(contact, now, zone)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const nextCall = (contact: Person["contacts"][number], now: Date, zone: string): string => {
  if (contact.status === "in_progress") return "now"
  if (contact.status !== "pending") return "none"
  if (contact.campaign_status !== "running") return "when the campaign runs"
  if (contact.quiet_until !== null) return `after ${moment(new Date(contact.quiet_until), now, zone)}: answered a call`
  const at = contact.next_attempt_at === null ? now : new Date(contact.next_attempt_at)
  if (at <= now) return "when it is their turn"
  return `${contact.callback_at === null ? "" : "callback "}${moment(at, now, zone)}`
}

const callColumns = [{ word: "Call" }, { word: "Outcome" }, { word: "Agent" }, { word: "Length", isFigure: true }]

const Calls = ({ calls: listed }: Pick<Person, "calls">) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  if (listed.length === 0) {
    return <Nothing title="No calls with this number">Calls to and from the number appear here.</Nothing>
  }
  return (
    <div className="Table-frame">
      <table className="Table" aria-label="Calls">
        <Columns columns={callColumns} />
        <tbody>
          {listed.map(({ agent_name, answered_at, direction, ended_at, id, outcome, started_at }) => (
            <tr key={id} className="Table-row">
              <td>
                <Link to="/$account/calls/$id" params={{ account: slug, id }} className="Table-link">
                  <time dateTime={started_at} title={utc(new Date(started_at))}>
                    {moment(new Date(started_at), now, zone)}
                  </time>
                </Link>{" "}
                <span className="second-line">{calls[direction]}</span>
              </td>
              <td>
                <OutcomeWord of={outcome ?? "in_call"} />
              </td>
              <td className="quiet">{agent_name}</td>
              <td className="Table-figure quiet">
                {answered_at === null
                  ? "–"
                  : length(secondsBetween(new Date(answered_at), ended_at === null ? now : new Date(ended_at)))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
