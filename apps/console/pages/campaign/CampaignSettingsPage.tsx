/**
 * The settings that can still change: name, slots, retries, the limit on spending and the rule packs of a running or
 * paused campaign, and none of a campaign that has ended. A pool of numbers is shown with its figures.
 */
import { IconFileText } from "@tabler/icons-react"
import { CampaignChange } from "../../../../src/rpc/inputs/Campaigns.ts"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useRefreshCampaigns } from "../../data/Campaigns.ts"
import { findProblems, problemAt } from "../../data/Checks.ts"
import { useDraft } from "../../data/Draft.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { useSaving } from "../../data/Saving.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { notice } from "../../shell/Notices.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SavedMeanwhile } from "../../ui/SavedMeanwhile.tsx"
import { counted } from "../../words/Figures.ts"
import { type OpenCampaign, useCampaign, useCurrentView } from "./CurrentCampaign.ts"
import { exportDecisions } from "./Export.ts"
import { NumberPool } from "./NumberPool.tsx"
import { RulePacks } from "./RulePacks.tsx"
import { hoursWords, retryWords, useHours } from "./SettingsLine.ts"
import "./CampaignSettingsPage.css"

export const CampaignSettingsPage = () => {
  const campaign = useCampaign()
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const { isConnected } = useCurrentView()
  // The state and the counts above the tabs are live on this page too.
  useLiveSign(campaign.ended_at !== null || campaign.status === "draft" ? undefined : isConnected)
  const hours = useHours(campaign)
  return (
    <div className="CampaignSettings">
      <Panel title="Settings">
        <PanelBody>
          {campaign.ended_at === null && mayChange ? (
            <ChangeForm key={campaign.id} campaign={campaign} />
          ) : (
            <p>
              {counted(campaign.max_concurrent_calls, "slot")}, {retryWords(campaign)}
              {hours !== undefined && `, ${hoursWords(hours)}`}.
            </p>
          )}
        </PanelBody>
      </Panel>
      {campaign.caller_numbers.length > 0 && <NumberPool id={campaign.id} />}
      {campaign.ended_at === null && mayChange && (
        <Panel title="Rules">
          <PanelBody>
            <RulePacks key={campaign.id} campaign={campaign} />
          </PanelBody>
        </Panel>
      )}
      <Panel title="Why it dialled as it did">
        <PanelBody>
          <p className="quiet">
            Each dial and each contact that was put off or skipped, with the rule and its figures.
          </p>
          <p className="CampaignSettings-act">
            <Button
              icon={<IconFileText aria-hidden />}
              onPress={() => void exportDecisions(slug, campaign.id, campaign.name)}
            >
              Export decisions
            </Button>
          </p>
        </PanelBody>
      </Panel>
    </div>
  )
}

const numbers = [
  { field: "max_concurrent_calls", label: "Slots: calls at the same time" },
  { field: "retries_per_contact", label: "Retries for people not reached" },
  { field: "retry_delay_seconds", label: "Seconds between two attempts" },
] as const

const typedNumber = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text))

const ChangeForm = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const client = useRpcClient()
  const draft = useDraft("campaign", campaign.id, campaign)
  const saving = useSaving({
    draft,
    schema: CampaignChange,
    send: (etag) => client.campaigns.update.mutate({ ...CampaignChange.parse(draft.changes), id: campaign.id, etag }),
    refresh: useRefreshCampaigns(),
    onSaved: ({ name }) => notice({ text: `${name} is changed.` }),
  })
  const { isBusy, isConflict, mayChange, problem, problems, save } = saving
  const isReady = draft.isDirty && Object.keys(findProblems(CampaignChange, draft.changes)).length === 0 && !isBusy
  const press = () => void (isReady && save().catch(() => undefined))
  useShortcut("⌘S", "Save", press, draft.isDirty)
  return (
    <form
      noValidate
      className="CampaignSettings-form"
      onSubmit={(event) => {
        event.preventDefault()
        press()
      }}
    >
      <DraftField form={{ draft, problems, mayChange }} name="name" label="Name" />
      {numbers.map(({ field, label }) => (
        <Field
          key={field}
          label={label}
          inputMode="numeric"
          value={Number.isNaN(draft.value[field]) ? "" : String(draft.value[field])}
          onChange={(text) => draft.set(field, typedNumber(text))}
          problem={problemAt(problems, field)}
        />
      ))}
      <Field
        label="Spend at most, in US dollars"
        inputMode="decimal"
        value={draft.value.max_spend ?? ""}
        onChange={(text) => draft.set("max_spend", text.trim() === "" ? null : text.trim())}
        problem={problemAt(problems, "max_spend")}
        hint="Empty for no limit."
      />
      {problem !== undefined && !isConflict && <ProblemLine problem={problem} />}
      {problem?.status === 409 && <p className="second-line">Nothing was changed. Calls in progress continue.</p>}
      <div>
        <Button type="submit" look="primary" shortcut="⌘S" isDisabled={!isReady}>
          Save
        </Button>
      </div>
      {isConflict && (
        <SavedMeanwhile
          name={campaign.name}
          draft={draft}
          saved={campaign}
          saveWord="Save mine"
          onSaveMine={() => save(campaign.etag)}
          onClose={() => saving.showConflict(false)}
        />
      )}
    </form>
  )
}
