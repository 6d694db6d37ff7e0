/** Makes the draft from an old campaign, with all of its contacts or those that were not reached. */
import { useAct } from "../../data/Act.ts"
import { useRefreshCampaigns } from "../../data/Campaigns.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import type { NewDraft } from "./Upload.ts"
import "./SourceContacts.css"

export interface SourceContactsProps {
  readonly source: OpenCampaign
  readonly known: Partial<NewDraft>
  readonly onDraft: (id: string) => void
}

const notReached = ["pending", "in_progress", "failed", "skipped"] as const

export const SourceContacts = ({ known, onDraft, source }: SourceContactsProps) => {
  const client = useRpcClient()
  const refresh = useRefreshCampaigns()
  const { isBusy, problem, run } = useAct()
  const { completed, total } = source.counts
  const { agent_id = source.agent_id, name = source.name, phone_number_id = source.phone_number_id } = known
  const take = (choice: { readonly statuses?: Array<(typeof notReached)[number]> }) => () =>
    run(async () => {
      const { id } = await client.campaigns.copy.mutate({ id: source.id, name, ...choice })
      await client.campaigns.update.mutate({ id, agent_id, phone_number_id })
      await refresh()
      onDraft(id)
    })
  return (
    <Panel title={`Contacts of ${source.name}`}>
      <PanelBody>
        <p className="quiet">Take them from that campaign, or choose another file above.</p>
        <div className="SourceContacts-acts">
          <Button
            look="primary"
            isDisabled={isBusy || completed === total}
            onPress={take({ statuses: [...notReached] })}
          >
            Take the {count(total - completed)} not reached
          </Button>
          <Button isDisabled={isBusy} onPress={take({})}>
            Take all {count(total)}
          </Button>
        </div>
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
    </Panel>
  )
}
