/** The FAQs that the agent may look up, and those that it does not have yet. Changes are part of the agent's draft. */
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query"
import { Link, useSearch } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { Columns } from "../../ui/Columns.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { Switch } from "../../ui/Switch.tsx"
import type { AgentParts } from "./Agent.ts"
import "../../ui/Table.css"

const pageSize = 25

interface Faq {
  readonly id: string
  readonly question: string
}

const columns = [{ word: "Has it" }, { word: "Question" }, { word: "Category", isWide: true }]

export const FaqsTab = ({ agent, draft, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const { page = 1, q } = useSearch({ from: "/$account/agents/$id/{-$tab}" })
  const catalog = useQuery(
    rpc.faqs.list.queryOptions(
      { page: page - 1, page_size: pageSize, ...(q !== undefined && { search: q }) },
      { placeholderData: keepPreviousData },
    ),
  )
  // An agent may have thousands of FAQs, so ask only about those on the page.
  const users = useQueries({
    queries: (catalog.data?.items ?? []).map(({ id }) => rpc.faqs.users.queryOptions({ id })),
  })
  const saved = new Set(
    catalog.data?.items.filter((_, at) => users[at]?.data?.some(({ id }) => id === agent.id)).map(({ id }) => id),
  )
  const isOf = ({ id }: Faq) => draft.changes[`faq:${id}`]?.has ?? saved.has(id)
  const set = ({ id, question }: Faq, has: boolean) =>
    draft.set(`faq:${id}`, has === saved.has(id) ? undefined : { has, question })
  const isFound = kit.tools?.some(({ enabled, tool_name }) => enabled && tool_name === "lookup_faq")
  return (
    <div className="Agent-tab">
      <div className="ListHead">
        <p className={isFound === false ? "Kit-warning" : "quiet"}>
          {isFound === false
            ? "lookup_faq is off, so none of them is found. Switch it on under Tools."
            : `${agent.name} has ${kit.faqCount ?? 0}, found by lookup_faq when someone asks.`}
        </p>
        <SearchField label="Filter FAQs" />
      </div>
      {catalog.isPending && <Loading label="FAQs" />}
      {catalog.isError && <Failed what="The FAQs" error={catalog.error} onRetry={() => catalog.refetch()} />}
      {catalog.data !== undefined && (
        <div className="Table-frame">
          <table className="Table Table-tall">
            <Columns columns={columns} />
            <tbody>
              {catalog.data.items.map((faq) => (
                <tr key={faq.id}>
                  <td>
                    {mayChange ? (
                      <Switch label={faq.question} isOn={isOf(faq)} onChange={(isOn) => set(faq, isOn)} />
                    ) : isOf(faq) ? (
                      "yes"
                    ) : (
                      "no"
                    )}
                  </td>
                  <td>
                    <Link to="/$account/faqs/{-$id}" params={{ account: slug, id: faq.id }} className="name">
                      {faq.question}
                    </Link>
                    <span className="Table-second">{faq.answer}</span>
                  </td>
                  <td className="Table-wide quiet">{faq.category}</td>
                </tr>
              ))}
              {catalog.data.items.length === 0 && (
                <tr>
                  <td colSpan={3} className="quiet">
                    {q === undefined ? "There are no FAQs yet." : "No FAQ has that in its question or answer."}
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
      {catalog.data !== undefined && <Pager page={page} pageSize={pageSize} total={catalog.data.total} of="FAQs" />}
    </div>
  )
}
