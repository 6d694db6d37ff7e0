/** The contacts in file order, filtered by state. The opened contact is shown beside the list. */
import { IconDownload } from "@tabler/icons-react"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { memo, useCallback, useState } from "react"
import { ChooseDisposition } from "../../choose/ChooseDisposition.tsx"
import { useAccount } from "../../data/Account.tsx"
import { beat } from "../../data/AccountPulse.ts"
import { pageSize, useContactRows } from "../../data/ContactRows.ts"
import { useDispositions } from "../../data/Dispositions.ts"
import { any, useSetFilter } from "../../data/Filters.ts"
import { outcomes, outcomeWords } from "../../figures/Outcomes.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { LinkButton } from "../../ui/LinkButton.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { counted } from "../../words/Figures.ts"
import { AddContacts } from "./AddContacts.tsx"
import { CallAgain } from "./CallAgain.tsx"
import { ContactDrawer } from "./ContactDrawer.tsx"
import { ContactTable } from "./ContactTable.tsx"
import { useCampaign } from "./CurrentCampaign.ts"
import { exportResults } from "./Export.ts"
import "./CampaignContactsPage.css"

const from = "/$account/campaigns/$id/contacts"

const statuses = [
  { id: any.id, word: "all" },
  { id: "pending", word: "to be called" },
  { id: "in_progress", word: "in a call" },
  { id: "completed", word: "completed" },
  { id: "failed", word: "failed" },
  { id: "skipped", word: "skipped" },
] as const

export const CampaignContactsPage = () => {
  const campaign = useCampaign()
  const { attempt, contact, disposition, outcome, page = 1, q, status } = useSearch({ from })
  const navigate = useNavigate({ from })
  const isOver = campaign.ended_at !== null && campaign.counts.in_progress === 0
  const [inSight, setInSight] = useState<ReadonlyArray<number>>([page - 1])
  const { slug } = useAccount()
  const asked = {
    ...(status !== undefined && { status }),
    ...(outcome !== undefined && { outcome }),
    ...(disposition !== undefined && { disposition }),
    ...(q !== undefined && { search: q }),
  }
  const { first, rows } = useContactRows({
    filter: { campaign_id: campaign.id, ...asked },
    start: page - 1,
    inSight,
    // A search reads all rows, so it refreshes less often.
    refetchInterval: isOver ? false : q === undefined ? beat * 2 : beat * 5,
  })
  useLiveSign(isOver || rows === undefined ? undefined : !first.isError && first.failureCount === 0)
  const open = useCallback(
    (id: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, contact: id, attempt: undefined }), resetScroll: false }),
    [navigate],
  )
  const step = (by: 1 | -1) => {
    const at = contact === undefined ? undefined : rows?.indexOf(contact)
    const next = at === undefined ? rows?.at(inSight[0] ?? 0) : rows?.at(at + by)
    if (next !== undefined) open(next.id)
  }

  return (
    <div className={`Contacts ${contact === undefined ? "" : "Contacts-open"}`}>
      <div className="Contacts-list">
        <div className="Contacts-head">
          <Filters agent={campaign.agent_id} />
          {Object.keys(asked).length === 0 && <AddContacts campaign={campaign} />}
          {q === undefined && Object.keys(asked).length > 0 && rows !== undefined && rows.total > 0 && (
            <CallAgain campaign={campaign} chosen={asked} total={rows.total} />
          )}
          {Object.keys(asked).length > 0 && rows !== undefined && rows.total > 0 && (
            <Button
              size="row"
              icon={<IconDownload aria-hidden />}
              onPress={() => void exportResults(slug, campaign.id, campaign.name, asked)}
            >
              Export {counted(rows.total, "contact")}
            </Button>
          )}
        </div>
        {rows === undefined || (rows.isBehind && (first.isError || rows.total === 0)) ? (
          <div className="Table-frame">
            {first.isError ? (
              <Failed what="The contacts" error={first.error} onRetry={first.refetch} />
            ) : (
              <Loading label="Contacts" />
            )}
          </div>
        ) : rows.total > 0 ? (
          <>
            <ContactTable rows={rows} page={page} opened={contact} onOpen={open} onSight={setInSight} />
            <div className="Contacts-pages">
              <Pager page={page} pageSize={pageSize} total={rows.total} of="contacts" isKept />
            </div>
          </>
        ) : (
          <div className="Table-frame">
            <NoMatch status={status} outcome={outcome} disposition={disposition} typed={q} />
          </div>
        )}
      </div>
      {contact !== undefined && (
        <ContactDrawer key={contact} id={contact} attempt={attempt} onClose={() => open(undefined)} onStep={step} />
      )}
    </div>
  )
}

/** Memoised, so that scrolling does not render it again. */
const Filters = memo(({ agent }: { readonly agent: string }) => {
  const disposition = useSearch({ from, select: (search) => search.disposition })
  const dispositions = useDispositions(agent)
  const status = useSearch({ from, select: (search) => search.status })
  const outcome = useSearch({ from, select: (search) => search.outcome })
  const set = useSetFilter()
  return (
    <div className="Contacts-filters">
      <SelectMenu label="Status" chosen={status ?? any.id} choices={statuses} onChoose={set("status")} />
      <SelectMenu
        label="Outcome"
        chosen={outcome ?? any.id}
        choices={[any, ...outcomes.map((id) => ({ id, word: outcomeWords[id] }))]}
        onChoose={set("outcome")}
      />
      <ChooseDisposition dispositions={dispositions} chosen={disposition} onChoose={set("disposition")} />
      <span className="Contacts-find">
        <SearchField label="Number or name" />
      </span>
    </div>
  )
})

const meanings: Record<string, string> = {
  completed: "Completed means that a person or a voicemail was reached.",
  failed: "Failed means that all attempts were used and no person was reached.",
  pending: "To be called means not yet called, or waiting for a retry or a callback.",
  skipped: "Skipped means not called: stopped, withdrawn, on the do-not-call list, or outside of their hours for good.",
  in_progress: "In a call means that the phone rings or the contact is talking right now.",
}

interface NoMatchProps {
  readonly status: string | undefined
  readonly outcome: keyof typeof outcomeWords | undefined
  readonly disposition: string | undefined
  readonly typed: string | undefined
}

const NoMatch = ({ disposition, outcome, status, typed }: NoMatchProps) => {
  const kind = status === undefined ? "contact" : `${statuses.find(({ id }) => id === status)?.word ?? status} contact`
  const end = [
    ...(outcome === undefined ? [] : [` has the outcome ${outcomeWords[outcome].toLowerCase()}`]),
    ...(disposition === undefined ? [] : [` has a last call with this disposition`]),
    ...(typed === undefined ? [] : [` matches “${typed}”`]),
  ].join(" and")
  return (
    <Empty
      title={`No ${kind}${end === "" ? " here" : end}`}
      acts={
        <LinkButton to="." search={{}}>
          Clear filters
        </LinkButton>
      }
    >
      {status === undefined
        ? "Numbers are found by their digits, names by any part of them."
        : (meanings[status] ?? "")}
    </Empty>
  )
}
