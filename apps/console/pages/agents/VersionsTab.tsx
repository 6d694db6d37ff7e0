/** The agent's versions: author, time, use and changes of each, and how to restore it. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { SideBySide } from "../../ui/SideList.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { moment } from "../../words/Times.ts"
import type { AgentParts } from "./Agent.ts"
import { RestoreVersion } from "./RestoreVersion.tsx"
import { VersionChanges } from "./VersionChanges.tsx"
import { authorName } from "./Versions.ts"
import "../../ui/SideList.css"
import "../../ui/SearchField.css"

const from = "/$account/agents/$id/{-$tab}"
const pageSize = 25

export const VersionsTab = ({ agent, mayChange, phone }: AgentParts) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const zone = useZone()
  const now = useNow()
  const { page = 1, version } = useSearch({ from })
  const [restoring, setRestoring] = useState<number>()
  const versions = useQuery(
    rpc.agents.versions.list.queryOptions(
      { agent_id: agent.id, page: page - 1, page_size: pageSize },
      { placeholderData: keepPreviousData },
    ),
  )
  const chosen = version ?? versions.data?.items[0]?.version
  const one = versions.data?.items.find((each) => each.version === chosen)
  const restored = async (made: number) => {
    const before = restoring
    setRestoring(undefined)
    await queries.invalidateQueries({ queryKey: rpc.agents.pathKey() })
    await navigate({ to: ".", search: { version: made } })
    notice({ text: `${agent.name} v${made} is v${before} again. Running campaigns keep theirs.` })
  }
  if (versions.isPending) return <Loading label="Versions" />
  if (versions.isError) return <Failed what="The versions" error={versions.error} onRetry={() => versions.refetch()} />
  return (
    <SideBySide
      isChosen={version !== undefined}
      list={
        <>
          <nav className="SideList" aria-label="Versions">
            {versions.data.items.map((each) => (
              <Link
                key={each.version}
                to={from}
                params={{ account: slug, id: agent.id, tab: "versions" }}
                search={(before) => ({ ...before, version: each.version })}
                className="SideList-entry Table-link"
                aria-current={each.version === chosen ? "page" : undefined}
                activeProps={{}}
              >
                <span className="SideList-name">
                  v{each.version}{" "}
                  {each.restored_from !== null && <span className="quiet">as v{each.restored_from} was</span>}
                </span>
                <span className="SideList-state">
                  {moment(new Date(each.created_at), now, zone)}, {authorName(each.created_by)}
                </span>
                <span className="SideList-aside">
                  {phone.some((on) => on.version === each.version) ? (
                    <Tag tone="talk">on the phone</Tag>
                  ) : each.is_current ? (
                    <Tag>newest</Tag>
                  ) : null}
                </span>
              </Link>
            ))}
          </nav>
          <Pager page={page} pageSize={pageSize} total={versions.data.total} of="versions" />
        </>
      }
    >
      {chosen !== undefined && (
        <section aria-label={`v${chosen}`}>
          <header className="ListHead">
            <h2 className="panel-title">
              v{chosen} <span className="Kit-count">{chosen > 1 ? `beside v${chosen - 1}` : "the first"}</span>
            </h2>
            {mayChange && one?.is_current !== true && chosen < agent.version && (
              <Button onPress={() => setRestoring(chosen)}>Roll back to v{chosen}</Button>
            )}
          </header>
          <VersionChanges agentId={agent.id} version={chosen} />
        </section>
      )}
      {restoring !== undefined && (
        <RestoreVersion
          agent={agent}
          version={restoring}
          onClose={() => setRestoring(undefined)}
          onRestored={restored}
        />
      )}
    </SideBySide>
  )
}
