/** For platform administrators: every account with its caps and its members. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Page } from "../../shell/Page.tsx"
import { AddButton } from "../../ui/AddButton.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { TableList } from "../../ui/TableList.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count, counted } from "../../words/Figures.ts"
import { date } from "../../words/Times.ts"
import { AccountForm } from "./AccountForm.tsx"
import { AdminFrame } from "./AdminFrame.tsx"
import { OneAccount } from "./OneAccount.tsx"

const from = "/admin/accounts"
const pageSize = 50

const columns = [
  { word: "Name" },
  { word: "Account", isWide: true },
  { word: "State" },
  { word: "Concurrent", isFigure: true, isWide: true },
  { word: "Per minute", isFigure: true, isWide: true },
  { word: "Per day", isFigure: true, isWide: true },
  { word: "Since", isFigure: true },
]

export const AccountsPage = () => (
  <AdminFrame>
    <Accounts />
  </AdminFrame>
)

const Accounts = () => {
  const rpc = useRpc()
  const queries = useQueryClient()
  const navigate = useNavigate({ from })
  const { account, page = 1 } = useSearch({ from })
  const list = useQuery(
    rpc.accounts.list.queryOptions({ page: page - 1, page_size: pageSize }, { placeholderData: keepPreviousData }),
  )
  const isAllowed = !list.isError || problemOf(list.error).status !== 403
  const [isNew, setNew] = useState(false)
  const open = (slug: string | undefined) => navigate({ search: (before) => ({ ...before, account: slug }) })
  const add = <AddButton word="New account" onAdd={() => setNew(true)} />
  if (!isAllowed) {
    return (
      <Page title="Accounts" name="Accounts">
        <div className="Table-frame">
          <Empty title="For platform administrators only">
            You are signed in, but not as a platform administrator. Your own accounts are at the top right.
          </Empty>
        </div>
      </Page>
    )
  }
  return (
    <Page title={list.data === undefined ? "Accounts" : counted(list.data.total, "account")} name="Accounts" acts={add}>
      <div className={account === undefined ? "" : "OneAccount-beside"}>
        <div>
          <TableList
            of="accounts"
            list={list}
            page={page}
            empty={
              <Empty title="No accounts yet" acts={add}>
                An account is one company with its own database, agents, numbers and members.
              </Empty>
            }
            columns={columns}
          >
            {list.data?.items.map((item) => (
              <tr key={item.slug} className="Table-row" aria-current={item.slug === account ? "true" : undefined}>
                <td>
                  <Link
                    from={from}
                    to="."
                    search={(before) => ({ ...before, account: item.slug })}
                    resetScroll={false}
                    className="Table-link"
                  >
                    {item.name}
                  </Link>
                </td>
                <td className="mono Table-wide">{item.slug}</td>
                <td>{item.status === "active" ? "active" : <Tag tone="warn">{item.status}</Tag>}</td>
                <td className="Table-figure Table-wide">{count(item.concurrent_max)}</td>
                <td className="Table-figure Table-wide">{count(item.calls_per_minute)}</td>
                <td className="Table-figure Table-wide">{count(item.calls_per_day)}</td>
                <td className="Table-figure second-line">{date(new Date(item.created_at), item.time_zone)}</td>
              </tr>
            ))}
          </TableList>
        </div>
        {account !== undefined && <OneAccount key={account} slug={account} onClose={() => void open(undefined)} />}
      </div>
      {isNew && (
        <AccountForm
          onClose={() => setNew(false)}
          onSaved={async ({ slug }) => {
            await queries.invalidateQueries({ queryKey: rpc.accounts.pathKey() })
            setNew(false)
            await open(slug)
          }}
        />
      )}
    </Page>
  )
}
