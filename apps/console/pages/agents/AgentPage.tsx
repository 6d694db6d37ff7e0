/** One agent: its settings, and whether a campaign uses this version. */
import { IconTrash } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Navigate, useNavigate, useParams } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { AgentSave } from "../../../../src/rpc/inputs/Agents.ts"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useDraft } from "../../data/Draft.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useSaving } from "../../data/Saving.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Page } from "../../shell/Page.tsx"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { Button } from "../../ui/Button.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { SaveGuards } from "../../ui/SaveGuards.tsx"
import { type TabLink, TabLinks } from "../../ui/TabLinks.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { counted, joinNames } from "../../words/Figures.ts"
import { clock, moment } from "../../words/Times.ts"
import { type Agent, type EditedAgent, type Kit, playbooksOf, toolsOf, useKit } from "./Agent.ts"
import { CompareAgent } from "./CompareAgent.tsx"
import { DeleteAgent } from "./DeleteAgent.tsx"
import { FaqsTab } from "./FaqsTab.tsx"
import { fieldWord, fieldWords } from "./FieldWords.ts"
import { editedFrom, toSave, useDraftedKit } from "./KitDraft.ts"
import { type OnThePhone, useOnThePhone } from "./OnThePhone.ts"
import { PlaybooksTab } from "./PlaybooksTab.tsx"
import { PromptTab } from "./PromptTab.tsx"
import { ScenariosTab } from "./ScenariosTab.tsx"
import { useScenarioScore } from "./ScenarioRuns.ts"
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

/** The body of a save, without the agent's id. */
const DraftToSave = AgentSave.omit({ id: true })

const AgentEditor = ({ agent, saved: savedKit }: { readonly agent: Agent; readonly saved: Kit }) => {
  const { slug } = useAccount()
  const { tab = "prompt" } = useParams({ from })
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const zone = useZone()
  const now = useNow()
  const phone = useOnThePhone(agent.id).of(agent.id)
  const score = useScenarioScore(agent.id)
  const { playbooks, tools } = savedKit
  const saved = useMemo(() => editedFrom(agent, { playbooks, tools }), [agent, playbooks, tools])
  const draft = useDraft("agent", agent.id, saved)
  const kit = useDraftedKit(savedKit, draft)
  const [open, setOpen] = useState<"compare" | "delete">()
  const next = agent.version + 1
  /** The agent is read before its kit: a kit that is newer than the ETag is refused once more, an older one would not be. */
  const readSaved = async () => {
    const present = await client.agents.get.query({ id: agent.id })
    const [tools, playbooks] = await Promise.all([toolsOf(client, agent.id), playbooksOf(client, agent.id)])
    return editedFrom(present, { tools, playbooks })
  }
  const saving = useSaving({
    draft,
    schema: DraftToSave,
    toSend: (changes) => toSave(changes, draft.base),
    send: async (base) => {
      const send = (etag: string) =>
        client.agents.save.mutate({ ...toSave(draft.changes, draft.base), id: agent.id, etag })
      try {
        return await send(base)
      } catch (error) {
        if (problemOf(error).status !== 412) throw error
        const present = await readSaved()
        // Another user changed other fields: both changes are kept.
        const isApart = Object.keys(draft.changes).every(
          (field) =>
            JSON.stringify(present[field as keyof EditedAgent]) ===
            JSON.stringify(draft.base[field as keyof EditedAgent]),
        )
        if (isApart) return await send(present.etag)
        throw error
      }
    },
    refresh: () => queries.invalidateQueries({ queryKey: rpc.agents.pathKey() }),
    onSaved: async (saved) => {
      queries.setQueryData(rpc.agents.get.queryKey({ id: saved.id }), saved)
      const keeping =
        phone.length > 0 ? ` Running campaigns keep ${joinNames(phone.map(({ version }) => `v${version}`))}.` : ""
      const params = { account: slug, id: saved.id }
      notice({
        text: `${saved.name} v${saved.version} saved.${keeping}`,
        act: {
          word: "Compare",
          onAct: () =>
            void navigate({ to: from, params: { ...params, tab: "versions" }, search: { version: saved.version } }),
        },
      })
    },
  })
  const { mayChange, problems } = saving
  const word = `Save as v${next}`
  const link = (word: string, of: string, aside?: TabLink["aside"]): TabLink => ({
    to: from,
    params: { account: slug, id: agent.id, tab: of },
    word,
    ...(aside !== undefined && { aside }),
  })
  const tabs = [
    link("Prompt", "prompt"),
    link("Playbooks", "playbooks", kit.playbooks?.length),
    link("Tools", "tools", kit.tools?.length),
    link("FAQs", "faqs", kit.faqCount),
    link("Voice and model", "voice"),
    link(
      "Scenarios",
      "scenarios",
      score && (
        <span
          className={score.passed < score.scenarios ? "Agent-trouble" : ""}
        >{`${score.passed} of ${score.scenarios}`}</span>
      ),
    ),
    link("Versions", "versions", agent.version),
  ]
  const parts = { agent, draft, kit, problems, phone, next, mayChange }
  const dirtyFields = fieldWords(Object.keys(draft.changes))
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
              label={`Acts on ${agent.name}`}
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
      {draft.isTakenUp && draft.keptAt !== undefined && (
        <p className="Agent-offer">
          You have changes from {moment(draft.keptAt, now, zone)} that are not saved: {joinNames(dirtyFields)}.
          <Button look="quiet" size="row" onPress={draft.drop}>
            Discard changes
          </Button>
        </p>
      )}
      {draft.overlap.length > 0 && !saving.isConflict && (
        <p className="Agent-offer">
          v{agent.version} was saved in the meantime, with another {joinNames(fieldWords(draft.overlap))}.
          <Button size="row" onPress={() => saving.showConflict(true)}>
            See both
          </Button>
        </p>
      )}
      <TabLinks label={`Parts of ${agent.name}`} tabs={tabs} />
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
