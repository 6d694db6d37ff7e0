/** The account's agents: name, newest version, and the versions in use by running campaigns. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { Page } from "../../shell/Page.tsx"
import { AddButton } from "../../ui/AddButton.tsx"
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { TableList } from "../../ui/TableList.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { moment } from "../../words/Times.ts"
import { NewAgent } from "./NewAgent.tsx"
import { useOnThePhone } from "./OnThePhone.ts"
import "./AgentsPage.css"

const pageSize = 25

const columns = [
  { word: "Agent" },
  { word: "On the phone" },
  { word: "Language", isWide: true },
  { word: "Model", isWide: true },
  { word: "Voice", isWide: true },
  { word: "Version", isFigure: true },
  { word: "Changed", isFigure: true },
]

export const AgentsPage = () => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const now = useNow()
  const mayChange = useMayChange()
  const { page = 1, q } = useSearch({ from: "/$account/agents" })
  const [isNew, setNew] = useState(false)
  const agents = useQuery(
    rpc.agents.list.queryOptions(
      { page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) },
      { placeholderData: keepPreviousData },
    ),
  )
  const phone = useOnThePhone()
  const add = mayChange && <AddButton word="New agent" onAdd={() => setNew(true)} />
  return (
    <Page title="Agents" name="Agents" acts={add}>
      <ReadOnlyNote />
      <div className="ListHead">
        <SearchField label="Filter by name" />
      </div>
      <TableList
        of="agents"
        list={agents}
        page={page}
        columns={columns}
        isTall
        empty={
          q === undefined ? (
            <Empty title="No agents yet" acts={add}>
              An agent is who speaks on a call: what it says first, what it is to do, and the tools that it may use.
            </Empty>
          ) : (
            <Empty title={`No agent is called “${q}”`} acts={<ClearFilters />}>
              The filter looks for a part of the name and of the description.
            </Empty>
          )
        }
      >
        {agents.data?.items.map((agent) => {
          const running = phone.of(agent.id)
          return (
            <tr key={agent.id} className="Table-row">
              <td>
                <Link
                  to="/$account/agents/$id/{-$tab}"
                  params={{ account: slug, id: agent.id, tab: "prompt" }}
                  className="Table-link"
                >
                  {agent.name}
                </Link>
                {agent.description !== "" && <span className="Table-second Agents-about">{agent.description}</span>}
              </td>
              <td>
                {running.length === 0 ? (
                  <span className="quiet">–</span>
                ) : (
                  running.map(({ campaigns, version }) => (
                    <Tag key={version} tone="talk">
                      v{version} in {campaigns === 1 ? "1 campaign" : `${campaigns} campaigns`}
                    </Tag>
                  ))
                )}
              </td>
              <td className="Table-wide quiet">{agent.language}</td>
              <td className="Table-wide quiet">{agent.model.id}</td>
              <td className="Table-wide quiet">{agent.voice.id}</td>
              <td className="Table-figure">v{agent.version}</td>
              <td className="Table-figure quiet">{moment(new Date(agent.updated_at), now, zone)}</td>
            </tr>
          )
        })}
      </TableList>
      {isNew && <NewAgent onClose={() => setNew(false)} />}
    </Page>
  )
}
