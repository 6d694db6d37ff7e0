/** The wizard of a new campaign. At every step the right column forecasts the campaign as it would run. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { type Crumb, Page, PageHeading } from "../../shell/Page.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { AgentStep } from "./AgentStep.tsx"
import type { ContactFile } from "./ContactFile.ts"
import { ContactsStep } from "./ContactsStep.tsx"
import { keptList } from "./KeptList.ts"
import { PaceStep } from "./PaceStep.tsx"
import { PreflightColumn } from "./PreflightColumn.tsx"
import { ReviewStep } from "./ReviewStep.tsx"
import { Steps } from "./Steps.tsx"
import type { NewDraft } from "./Upload.ts"
import "../../ui/Table.css"
import "./NewCampaignPage.css"

const from = "/$account/campaigns/new"

const choicesKey = (account: string): string => `parley.wizard.${account}`

/** The choices from before the draft existed. They survive a reload of the tab. */
const readChoices = (account: string): Partial<NewDraft> => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(choicesKey(account)) ?? "{}")
    return typeof kept === "object" && kept !== null ? kept : {}
  } catch {
    return {}
  }
}

export const NewCampaignPage = () =>
  useMayChange() ? (
    <NewCampaign />
  ) : (
    <Page name="New campaign" title="New campaign">
      <div className="Table-frame">
        <Empty title="Campaigns are made by members">You can look, not change. Ask an owner of this account.</Empty>
      </div>
    </Page>
  )

const NewCampaign = () => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const navigate = useNavigate({ from })
  const { draft, from: source, step = draft === undefined ? "agent" : "contacts" } = useSearch({ from })
  const [file, setFile] = useState<ContactFile>()
  const [chosen, setChosen] = useState<Partial<NewDraft>>(() => readChoices(slug))
  const choose = (change: Partial<NewDraft>) => {
    const choices = { ...chosen, ...change }
    setChosen(choices)
    sessionStorage.setItem(choicesKey(slug), JSON.stringify(choices))
  }
  useEffect(() => {
    if (draft === undefined) return
    sessionStorage.removeItem(choicesKey(slug))
    void keptList(draft).then((list) => list !== undefined && setFile((present) => present ?? list))
  }, [draft, slug])
  const campaign = useQuery(
    rpc.campaigns.get.queryOptions({ id: draft ?? "" }, { enabled: draft !== undefined, staleTime: 0 }),
  )
  const again = useQuery(
    rpc.campaigns.get.queryOptions(
      { id: source ?? "" },
      { enabled: source !== undefined && source !== "sample" && draft === undefined },
    ),
  )
  const known: Partial<NewDraft> = campaign.data ?? {
    ...(again.data !== undefined && {
      name: `${again.data.name}, again`,
      agent_id: again.data.agent_id,
      phone_number_id: again.data.phone_number_id,
    }),
    ...chosen,
  }
  const go = (to: typeof step) => void navigate({ search: (before) => ({ ...before, step: to }) })
  const leave = () => void navigate({ to: "/$account/campaigns", params: { account: slug } })
  useShortcut("Esc", "Back to the list; the draft is kept", leave)

  const crumbs: ReadonlyArray<Crumb> = [{ word: "Campaigns", to: "/$account/campaigns", params: { account: slug } }]
  if (draft !== undefined && campaign.data === undefined) {
    return (
      <Page name="New campaign" title="New campaign" crumbs={crumbs}>
        {campaign.isError ? (
          <Failed
            what="The draft"
            error={campaign.error}
            onRetry={campaign.refetch}
            notFound="This draft is gone: it was deleted, or it is of another account."
          />
        ) : (
          <Loading label="Draft" />
        )}
      </Page>
    )
  }
  return (
    <Page name="New campaign" title="New campaign" crumbs={crumbs} isHeadless>
      <div className="NewCampaign">
        <div className="NewCampaign-steps">
          <PageHeading name="New campaign">New campaign</PageHeading>
          <Steps step={step} known={known} campaign={campaign.data} fileName={file?.name} />
        </div>
        <div className="NewCampaign-main">
          {step === "agent" && (
            <AgentStep known={known} campaign={campaign.data} onChange={choose} onNext={() => go("contacts")} />
          )}
          {step === "contacts" && (
            <ContactsStep
              known={known}
              campaign={campaign.data}
              file={file}
              isSample={source === "sample"}
              source={again.data}
              onFile={setFile}
              onDraft={(id) => navigate({ search: (before) => ({ ...before, draft: id }), replace: true })}
              onBack={() => go("agent")}
              onNext={() => go("pace")}
            />
          )}
          {step === "pace" && campaign.data !== undefined && (
            <PaceStep
              key={campaign.data.id}
              campaign={campaign.data}
              onBack={() => go("contacts")}
              onNext={() => go("review")}
            />
          )}
          {step === "review" && campaign.data !== undefined && (
            <ReviewStep campaign={campaign.data} onBack={() => go("pace")} />
          )}
        </div>
        <div className="NewCampaign-side">
          {campaign.data === undefined ? (
            <p className="second-line NewCampaign-hint">
              When the list is there, this column says when the calls would end, how many there are, and who would not
              be called.
            </p>
          ) : (
            <PreflightColumn campaign={campaign.data} />
          )}
        </div>
      </div>
    </Page>
  )
}
