/** The audit log: who did what, when and from where, newest first. For owners. Filters and place are in the URL. */
import { IconDownload } from "@tabler/icons-react"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMayManage } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { download } from "../../data/Rest.ts"
import { useRpc } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Page } from "../../shell/Page.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { LinkButton } from "../../ui/LinkButton.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { OwnersOnly } from "../../ui/OwnersOnly.tsx"
import { askedOf, AuditFilters } from "./AuditFilters.tsx"
import { AuditTable } from "./AuditTable.tsx"
import "./AuditPage.css"

const pageSize = 50

export const AuditPage = () => {
  const rpc = useRpc()
  const zone = useZone()
  const { slug } = useAccount()
  const mayManage = useMayManage()
  const { before, ...search } = useSearch({ from: "/$account/audit-log" })
  const asked = askedOf(search, zone)
  const list = useQuery(
    rpc.audit.list.queryOptions(
      { ...asked, ...(before !== undefined && { before }), limit: pageSize },
      { enabled: mayManage, placeholderData: keepPreviousData },
    ),
  )
  const older = list.data?.next_before ?? undefined
  const [isSaving, setSaving] = useState(false)
  if (!mayManage) return <OwnersOnly what="Audit log entries" />
  const save = async () => {
    setSaving(true)
    try {
      await download(slug, `/api/v1/audit.csv?${new URLSearchParams(asked)}`, `${slug}-audit-log.csv`)
    } catch (error) {
      notice({ text: `The audit log was not exported. ${problemOf(error).detail}` })
    } finally {
      setSaving(false)
      await list.refetch()
    }
  }
  const acts = (
    <Button icon={<IconDownload aria-hidden />} isDisabled={isSaving} onPress={() => void save()}>
      Export CSV
    </Button>
  )
  return (
    <Page title="Audit log" name="Audit log" acts={acts}>
      <AuditFilters search={search} />
      {list.data === undefined ? (
        <div className="Table-frame">
          {list.error === null ? (
            <Loading label="Audit log" />
          ) : (
            <Failed what="The audit log" error={list.error} onRetry={list.refetch} />
          )}
        </div>
      ) : list.data.items.length === 0 ? (
        <div className="Table-frame">
          <Empty title="No entries">
            {Object.keys(asked).length === 0
              ? "Each change, export and listening of a member or an API key appears here."
              : "No entry matches these filters. Names and emails must be complete."}
          </Empty>
        </div>
      ) : (
        <AuditTable entries={list.data.items} />
      )}
      {(before !== undefined || older !== undefined) && (
        <nav className="Audit-pages" aria-label="Pages">
          {before !== undefined && (
            <LinkButton to="." search={(now) => ({ ...now, before: undefined })}>
              Newest entries
            </LinkButton>
          )}
          {older !== undefined && (
            <LinkButton to="." search={(now) => ({ ...now, before: older })}>
              Older entries
            </LinkButton>
          )}
        </nav>
      )}
    </Page>
  )
}
