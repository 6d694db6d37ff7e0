/** Callbacks as rows: who, when on their own clock, in which campaign, and who set the time. Each opens the contact. */
import { Link } from "@tanstack/react-router"
import { useRef } from "react"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { givenName, nameOf } from "../../data/Contacts.ts"
import { useListKeys } from "../../shell/ListKeys.ts"
import { Columns } from "../../ui/Columns.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { CallbackTime } from "../campaign/CallbackTime.tsx"
import "../../ui/Table.css"

type Callback = Outputs["callbacks"]["list"]["items"][number]

const columns = [
  { word: "Who" },
  { word: "When" },
  { word: "Campaign" },
  { word: "Time set by", isWide: true },
  { word: "Attempts", isFigure: true, isWide: true },
]

const setBy = { agent: "agent, in the call", person: "user or API key" } as const

export const CallbackTable = ({ callbacks }: { readonly callbacks: ReadonlyArray<Callback> }) => {
  const list = useRef<HTMLDivElement>(null)
  useListKeys(list)
  return (
    <div ref={list} className="Table-frame">
      <table className="Table" aria-label="Callbacks">
        <Columns columns={columns} />
        <tbody>
          {callbacks.map((callback) => (
            <Row key={callback.id} callback={callback} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Row = ({ callback }: { readonly callback: Callback }) => {
  const { slug } = useAccount()
  return (
    <tr className="Table-row">
      <td>
        <Link
          to="/$account/campaigns/$id/contacts"
          params={{ account: slug, id: callback.campaign_id }}
          search={{ contact: callback.id }}
          className="Table-link"
        >
          {nameOf(callback)}
        </Link>
        {givenName(callback) !== undefined && (
          <span className="Table-second">{formatNumber(callback.phone_number)}</span>
        )}
      </td>
      <td>
        <CallbackTime contact={callback} />
      </td>
      <td>
        {callback.campaign_name} {callback.campaign_status === "paused" && <Tag tone="warn">paused: not dialled</Tag>}
      </td>
      <td className="Table-wide quiet">{setBy[callback.arranged_by]}</td>
      <td className="Table-figure Table-wide quiet">{callback.attempts}</td>
    </tr>
  )
}
