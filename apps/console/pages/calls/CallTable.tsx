/** Calls as rows: contact, outcome, who spoke for the account, duration and cost. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { memo, useEffect, useRef } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { givenName } from "../../data/Contacts.ts"
import type { LiveCall } from "../../data/LiveCalls.ts"
import { useRpc } from "../../data/Rpc.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { useNow } from "../../shell/Clock.ts"
import { useListKeys } from "../../shell/ListKeys.ts"
import { Columns } from "../../ui/Columns.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { money } from "../../words/Figures.ts"
import { length, moment, secondsBetween, utc } from "../../words/Times.ts"
import { otherEnd } from "../../words/OtherEnd.ts"
import { isLive, phaseOf } from "./Call.ts"
import { rememberTrail } from "./CallTrail.ts"
import "../../ui/Table.css"

const distinct = (ids: ReadonlyArray<string | null>) => [...new Set(ids.filter((id) => id !== null))].toSorted()

const directionWords = { outbound: "outbound", inbound: "inbound", web: "from a page" } as const

const columns = [
  { word: "Who" },
  { word: "Outcome" },
  { word: "Agent", className: "CallTable-agent" },
  { word: "From", className: "CallTable-from" },
  { word: "Length", isFigure: true },
  { word: "Cost", isFigure: true, isWide: true },
  { word: "Began", isFigure: true },
]

export const CallTable = ({ calls }: { readonly calls: ReadonlyArray<LiveCall> }) => {
  const rpc = useRpc()
  const list = useRef<HTMLDivElement>(null)
  const asked = {
    campaign_ids: distinct(calls.map(({ campaign_id }) => campaign_id)),
    contact_ids: distinct(calls.map(({ contact_id }) => contact_id)),
  }
  const { data: named } = useQuery(
    rpc.account.callNames.queryOptions(asked, {
      enabled: asked.campaign_ids.length > 0,
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
  )
  const campaigns = new Map(named?.campaigns.map(({ id, name }) => [id as string, name]))
  const people = new Map(named?.contacts.map((contact) => [contact.id as string, givenName(contact)]))
  useListKeys(list)
  useEffect(() => rememberTrail(calls.map(({ id }) => id)), [calls])
  return (
    <div ref={list} className="Table-frame">
      <table className="Table CallTable" aria-label="Calls">
        <Columns columns={columns} />
        <tbody>
          {calls.map((call) => (
            <Row
              key={call.id}
              call={call}
              campaign={campaigns.get(call.campaign_id ?? "")}
              person={people.get(call.contact_id ?? "")}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly call: LiveCall
  readonly campaign: string | undefined
  /** The name that the contact's list gave. */
  readonly person: string | undefined
}

const Row = memo(({ call, campaign, person }: RowProps) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  const { agent_name, agent_version, answered_at, cost, direction, duration_seconds, id, started_at } = call
  const began = new Date(started_at)
  const goesOn = isLive(call)
  const lasted =
    goesOn && answered_at !== null ? secondsBetween(new Date(answered_at), now) : (duration_seconds ?? undefined)
  return (
    <tr className="Table-row">
      <td>
        <Link to="/$account/calls/$id" params={{ account: slug, id }} className="Table-link CallTable-who">
          {person ?? otherEnd(call)}
        </Link>
        {person !== undefined && <span className="CallTable-number second-line">{otherEnd(call)}</span>}
      </td>
      <td>
        <OutcomeWord of={phaseOf(call)} /> {goesOn && <Tag tone="talk">live</Tag>}
        {call.disposition !== null && (
          <span className="Table-second CallTable-disposition">{call.disposition.label}</span>
        )}
      </td>
      <td className="CallTable-agent">
        {agent_name}
        {agent_version !== null && <span className="quiet"> v{agent_version}</span>}
      </td>
      <td className="CallTable-from quiet">
        {call.campaign_id === null ? directionWords[direction] : (campaign ?? "a campaign")}
      </td>
      <td className="Table-figure quiet">{lasted === undefined ? "–" : length(lasted)}</td>
      <td className="Table-figure Table-wide quiet">{cost.amount === 0 ? "–" : money(cost.amount)}</td>
      <td className="Table-figure second-line">
        <time dateTime={started_at} title={utc(began)}>
          {moment(began, now, zone)}
        </time>
      </td>
    </tr>
  )
})
