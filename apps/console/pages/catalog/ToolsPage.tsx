/** The account's tools: its own, and the built-in ones. */
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
import { FilterChips } from "../../ui/FilterChips.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { TableList } from "../../ui/TableList.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { moment } from "../../words/Times.ts"
import { NewTool } from "./NewTool.tsx"
import { kindWord } from "./Tool.ts"
import "./Catalog.css"

const pageSize = 25

const filters = {
  python: { type: "python", is_default: false },
  http: { type: "http" },
  built_in: { is_default: true },
} as const

const columns = [
  { word: "Tool" },
  { word: "When the agent uses it", isWide: true },
  { word: "Kind" },
  { word: "Category", isWide: true },
  { word: "Changed", isFigure: true, isWide: true },
]

export const ToolsPage = () => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const now = useNow()
  const mayChange = useMayChange()
  const { page = 1, q, type } = useSearch({ from: "/$account/tools" })
  const [isNew, setNew] = useState(false)
  const tools = useQuery(
    rpc.tools.list.queryOptions(
      {
        page: page - 1,
        page_size: pageSize,
        ...(q !== undefined && { search: q }),
        ...(type !== undefined && filters[type]),
      },
      { placeholderData: keepPreviousData },
    ),
  )
  const count = (filter: object) => rpc.tools.list.queryOptions({ page_size: 1, ...filter })
  const all = useQuery(count({})).data?.total
  const python = useQuery(count(filters.python)).data?.total
  const http = useQuery(count(filters.http)).data?.total
  const builtIn = useQuery(count(filters.built_in)).data?.total
  return (
    <Page title="Tools" name="Tools" acts={mayChange && <AddButton word="New tool" onAdd={() => setNew(true)} />}>
      <ReadOnlyNote />
      <div className="ListHead">
        <FilterChips
          label="Kinds of tools"
          parameter="type"
          chips={[
            { value: undefined, word: "All", count: all },
            { value: "python", word: "Python", count: python },
            { value: "http", word: "HTTP", count: http },
            { value: "built_in", word: "Built-in", count: builtIn },
          ]}
        />
        <SearchField label="Filter by name" />
      </div>
      <TableList
        of="tools"
        list={tools}
        page={page}
        columns={columns}
        isTall
        empty={
          <Empty title={q === undefined ? "No tool of this kind" : `No tool is called “${q}”`} acts={<ClearFilters />}>
            A tool is a function that an agent can use during a call: Python that runs in a sandbox, or a request to a
            server of yours.
          </Empty>
        }
      >
        {tools.data?.items.map((tool) => (
          <tr key={tool.id} className="Table-row">
            <td>
              <Link to="/$account/tools/$id" params={{ account: slug, id: tool.id }} className="Table-link mono">
                {tool.name}
              </Link>
              <span className="Table-second">{tool.display_name}</span>
            </td>
            <td className="Table-wide quiet">
              <span className="Catalog-about">{tool.description}</span>
            </td>
            <td>
              <Tag>{kindWord(tool)}</Tag> {tool.modified_from_default && <Tag tone="note">changed</Tag>}
            </td>
            <td className="Table-wide quiet">{tool.category}</td>
            <td className="Table-figure Table-wide quiet">{moment(new Date(tool.updated_at), now, zone)}</td>
          </tr>
        ))}
      </TableList>
      {isNew && <NewTool onClose={() => setNew(false)} />}
    </Page>
  )
}
