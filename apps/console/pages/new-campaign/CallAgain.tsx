/** Starts a new campaign from an old one, with its whole list or with the contacts that were not reached. */
import { useAct } from "../../data/Act.ts"
import { useAccount } from "../../data/Account.tsx"
import { fetchFile } from "../../data/Rest.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import "./CallAgain.css"

export interface CallAgainProps {
  readonly source: OpenCampaign
  readonly onTake: (list: File) => Promise<void>
}

export const CallAgain = ({ onTake, source }: CallAgainProps) => {
  const { slug } = useAccount()
  const { isBusy, problem, run } = useAct()
  const { completed, total } = source.counts
  const take = (isWanted: (status: string) => boolean) => () =>
    run(async () => {
      const results = await fetchFile(slug, `/api/v1/campaigns/${source.id}/results.csv`)
      const { contactsOf } = await import("./ContactFile.ts")
      const list = contactsOf(await results.text(), source.variables?.columns, isWanted)
      await onTake(new File([list], `${source.name}.csv`, { type: "text/csv" }))
    })
  return (
    <Panel title={`Contacts of ${source.name}`}>
      <PanelBody>
        <p className="quiet">Take them from that campaign, or choose another file above.</p>
        <div className="CallAgain-acts">
          <Button
            look="primary"
            isDisabled={isBusy || completed === total}
            onPress={take((status) => status !== "completed")}
          >
            Take the {count(total - completed)} not reached
          </Button>
          <Button isDisabled={isBusy} onPress={take(() => true)}>
            Take all {count(total)}
          </Button>
        </div>
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
    </Panel>
  )
}
