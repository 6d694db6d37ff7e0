/** Entries of the audit log as rows. */
import { Link } from "@tanstack/react-router"
import { useRef } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useNow } from "../../shell/Clock.ts"
import { useListKeys } from "../../shell/ListKeys.ts"
import { Columns } from "../../ui/Columns.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { moment, utc } from "../../words/Times.ts"
import { actionWords, actorTag, actorWord, changeWord, type Entry, objectWord } from "./AuditWords.ts"
import "../../ui/Table.css"

const columns = [
  { word: "When", className: "Audit-when" },
  { word: "Who" },
  { word: "What" },
  { word: "From", isWide: true },
]

/** The pages of those kinds of objects that have one. */
const places = {
  agent: "/$account/agents/$id/{-$tab}",
  tool: "/$account/tools/$id",
  campaign: "/$account/campaigns/$id",
  call: "/$account/calls/$id",
} as const

export const AuditTable = ({ entries }: { readonly entries: ReadonlyArray<Entry> }) => {
  const frame = useRef<HTMLDivElement>(null)
  useListKeys(frame)
  return (
    <div ref={frame} className="Table-frame">
      <table className="Table Table-tall Audit" aria-label="Audit log">
        <Columns columns={columns} />
        <tbody>
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Row = ({ entry }: { readonly entry: Entry }) => {
  const zone = useZone()
  const now = useNow()
  const at = new Date(entry.at)
  const tag = actorTag[entry.actor.type]
  const changes = entry.changes.map(changeWord).join(" · ")
  return (
    <tr className="Table-row">
      <td className="Audit-when second-line">
        <time dateTime={entry.at} title={utc(at)}>
          {moment(at, now, zone)}
        </time>
      </td>
      <td className="Audit-who" title={entry.actor.id ?? undefined}>
        {actorWord(entry)} {tag !== undefined && <Tag>{tag}</Tag>}
        <span className="Table-narrow second-line mono">{entry.address}</span>
      </td>
      <td className="Audit-what">
        {actionWords[entry.action]} <ObjectLink entry={entry} />
        {changes !== "" && <span className="Table-second">{changes}</span>}
      </td>
      <td className="Table-wide mono quiet">{entry.address ?? "this server"}</td>
    </tr>
  )
}

/** Links to the object's page. If it has none, links to its other audit entries. */
const ObjectLink = ({ entry }: { readonly entry: Entry }) => {
  const { slug } = useAccount()
  const word = objectWord(entry)
  const { id, kind } = entry.object
  if (word === undefined || id === null) return null
  const isGone = entry.action.endsWith(".delete")
  if (!isGone && kind in places) {
    return (
      <Link to={places[kind as keyof typeof places]} params={{ account: slug, id }} className="name">
        {word}
      </Link>
    )
  }
  return (
    <Link
      to="."
      search={(before) => ({ ...before, object: id, before: undefined })}
      className="name"
      title="Show its entries only"
    >
      {word}
    </Link>
  )
}
