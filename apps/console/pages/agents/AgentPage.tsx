/** One agent: its settings, and whether a campaign uses this version. */
import { IconTrash } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { Navigate, useParams } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useDraft } from "../../data/Draft.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Page } from "../../shell/Page.tsx"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { Button } from "../../ui/Button.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { SaveGuards } from "../../ui/SaveGuards.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { counted, joinNames } from "../../words/Figures.ts"
import { clock } from "../../words/Times.ts"
import { type Agent, type Kit, useKit } from "./Agent.ts"
import { useAgentSaving } from "./AgentSaving.ts"
import { AgentTabs } from "./AgentTabs.tsx"
import { CompareAgent } from "./CompareAgent.tsx"
import { DeleteAgent } from "./DeleteAgent.tsx"
import { DraftOffers } from "./DraftOffers.tsx"
import { FaqsTab } from "./FaqsTab.tsx"
import { fieldWord } from "./FieldWords.ts"
import { editedFrom, useDraftedKit } from "./KitDraft.ts"
import { type OnThePhone, useOnThePhone } from "./OnThePhone.ts"
import { PlaybooksTab } from "./PlaybooksTab.tsx"
import { PromptTab } from "./PromptTab.tsx"
import { ScenariosTab } from "./ScenariosTab.tsx"
import { ToolsTab } from "./ToolsTab.tsx"
import { VersionsTab } from "./VersionsTab.tsx"
import { VoiceTab } from "./VoiceTab.tsx"
import "./AgentPage.css"

const from = "/$account/agents/$id/{-$tab}"

export const AgentPage = () => {
  const { slug } = useAccount()
  const { id, tab } = useParams({ from })
  const rpc = useRpc()
  const agent = useQuery(rpc.agents.get.queryOptions({ id }))
  const kit = useKit(id)
  const present = agent.data?.id ?? id
  if (tab === undefined || present !== id) {
    const params = { account: slug, id: present, tab: tab ?? "prompt" }
    return <Navigate to={from} params={params} search={(before) => before} replace />
  }
  // Until the kit is loaded, a draft of it would look like a conflict with the saved one.
  if (agent.data !== undefined && !kit.isPending) {
    return <AgentEditor key={agent.data.id} agent={agent.data} saved={kit} />
  }
  return (
    <Page title="Agent" name="Agent" crumbs={[{ word: "Agents", to: "/$account/agents", params: { account: slug } }]}>
      <Awaiting of="agent" asked={agent} notFound={`There is no agent ${id} in this account.`} />
    </Page>
  )
}

const AgentEditor = ({ agent, saved: savedKit }: { readonly agent: Agent; readonly saved: Kit }) => {
  const { slug } = useAccount()
  const { tab = "prompt" } = useParams({ from })
  const zone = useZone()
  const phone = useOnThePhone(agent.id).of(agent.id)
  const { playbooks, tools } = savedKit
  const saved = useMemo(() => editedFrom(agent, { playbooks, tools }), [agent, playbooks, tools])
  const draft = useDraft("agent", agent.id, saved)
  const kit = useDraftedKit(savedKit, draft)
  const [open, setOpen] = useState<"compare" | "delete">()
  const next = agent.version + 1
  const saving = useAgentSaving(agent.id, draft, phone)
  const { mayChange, problems } = saving
  const word = `Save as v${next}`
  const parts = { agent, draft, kit, problems, phone, next, mayChange }
  return (
    <Page
      title={agent.name}
      name={agent.name}
      crumbs={[{ word: "Agents", to: "/$account/agents", params: { account: slug } }]}
      beside={
        draft.isDirty ? (
          <>
            <Tag tone="note">v{next} draft</Tag>
            {draft.keptAt !== undefined && (
              <span className="second-line">kept in this browser at {clock(draft.keptAt, zone)}</span>
            )}
          </>
        ) : (
          <Tag>v{agent.version}</Tag>
        )
      }
      second={phoneSentence(phone, agent.version)}
      acts={
        mayChange && (
          <>
            {draft.isDirty && <Button onPress={() => setOpen("compare")}>Compare with v{agent.version}</Button>}
            {draft.isDirty && <SaveButton saving={saving} draft={draft} word={word} />}
            <ActionMenu
              label={`Actions for ${agent.name}`}
              actions={[
                ...(draft.isDirty ? [{ id: "drop", word: "Discard changes", onAct: draft.drop, icon: undefined }] : []),
                {
                  id: "delete",
                  word: "Delete…",
                  isStop: true,
                  icon: <IconTrash aria-hidden />,
                  onAct: () => setOpen("delete"),
                },
              ]}
            />
          </>
        )
      }
    >
      <ReadOnlyNote />
      <DraftOffers draft={draft} saving={saving} version={agent.version} />
      <AgentTabs agent={agent} kit={kit} />
      <SaveGuards
        saving={saving}
        draft={draft}
        saved={saved}
        name={agent.name}
        version={`v${agent.version}`}
        word={word}
        note={`Both are kept: v${agent.version} stays in the list of versions, whichever you choose.`}
        wordOf={fieldWord}
        within={`/${slug}/agents/${agent.id}`}
      />
      {tab === "prompt" && <PromptTab {...parts} />}
      {tab === "playbooks" && <PlaybooksTab {...parts} />}
      {tab === "tools" && <ToolsTab {...parts} />}
      {tab === "faqs" && <FaqsTab {...parts} />}
      {tab === "voice" && <VoiceTab {...parts} />}
      {tab === "scenarios" && <ScenariosTab {...parts} />}
      {tab === "versions" && <VersionsTab {...parts} />}
      {open === "compare" && <CompareAgent {...parts} saved={saved} onClose={() => setOpen(undefined)} />}
      {open === "delete" && <DeleteAgent agent={agent} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const phoneSentence = (phone: ReadonlyArray<OnThePhone>, newest: number): string => {
  if (phone.length === 0) return `In no running campaign. New campaigns and direct calls take the newest, v${newest}.`
  const [one] = phone
  const inCampaigns = joinNames(
    phone.map(({ campaigns, version }) => `v${version} is on the phone in ${counted(campaigns, "campaign")}`),
  )
  return phone.length === 1 && one !== undefined
    ? `${inCampaigns}. ${one.campaigns === 1 ? "It keeps" : "They keep"} v${one.version} until ${one.campaigns === 1 ? "it ends" : "they end"}; new ones take the newest.`
    : `${inCampaigns}. Each keeps its own until it ends; new ones take the newest.`
}
