/** A block for each variable that would leave a gap: the sentence as it would be spoken, and possible fixes. */
import { IconAlertTriangle } from "@tabler/icons-react"
import { useAccount } from "../../data/Account.tsx"
import { Button } from "../../ui/Button.tsx"
import { LinkButton } from "../../ui/LinkButton.tsx"
import { count, counted } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import type { ContactFile } from "./ContactFile.ts"
import { useTemplates } from "./Templates.ts"
import "./Notes.css"

export interface VariableProblemsProps {
  readonly campaign: OpenCampaign
  readonly file: ContactFile | undefined
  readonly onLeaveOut: (column: string) => void
}

export const VariableProblems = ({ campaign, file, onLeaveOut }: VariableProblemsProps) => {
  const { slug } = useAccount()
  const agent = useTemplates(campaign.agent_id)
  const toPrompt = (
    <LinkButton
      to="/$account/agents/$id/{-$tab}"
      params={{ account: slug, id: campaign.agent_id, tab: "prompt" }}
      size="row"
    >
      Add a default to the prompt
    </LinkButton>
  )
  const who = agent?.name ?? "The agent"
  return (
    <>
      {(campaign.variables?.unknown ?? []).map(({ name, sentence }) => (
        <div key={name} className="Note">
          <IconAlertTriangle className="Note-stop" aria-hidden />
          <div className="Note-words">
            <p>
              <span className="Variable">{`{{${name}}}`}</span> has no column and no default.
              {sentence !== null && ` ${who} would say “${sentence}”`}
            </p>
            <div className="Note-acts">{toPrompt}</div>
          </div>
        </div>
      ))}
      {(campaign.variables?.empty ?? []).map(({ name, rows, sentence }) => (
        <div key={name} className="Note">
          <IconAlertTriangle className="Note-warn" aria-hidden />
          <div className="Note-words">
            <p>
              <span className="Variable">{`{{${name}}}`}</span> is empty in <strong>{counted(rows, "row")}</strong> and
              has no default.
              {sentence !== null && ` ${who} would say “${sentence}”`}
            </p>
            <div className="Note-acts">
              {toPrompt}
              {file !== undefined && (
                <Button size="row" onPress={() => onLeaveOut(name)}>
                  Leave {rows === 1 ? "that one" : `those ${count(rows)}`} out
                </Button>
              )}
            </div>
          </div>
        </div>
      ))}
    </>
  )
}
