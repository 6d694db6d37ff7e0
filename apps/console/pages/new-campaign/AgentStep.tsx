/** The step of the agent, the phone number and the campaign's name. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { ChooseAgent } from "../../choose/ChooseAgent.tsx"
import { ChooseNumber } from "../../choose/ChooseNumber.tsx"
import { useAccount } from "../../data/Account.tsx"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import type { NewDraft } from "./Upload.ts"

export interface AgentStepProps {
  readonly known: Partial<NewDraft>
  readonly campaign: OpenCampaign | undefined
  readonly onChange: (change: Partial<NewDraft>) => void
  readonly onNext: () => void
}

export const AgentStep = ({ campaign, known, onChange, onNext }: AgentStepProps) => {
  const { slug } = useAccount()
  const { update } = useCampaignActs()
  const rpc = useRpc()
  const count = { page_size: 1 }
  const hasNoAgent = useQuery(rpc.agents.list.queryOptions(count)).data?.total === 0
  const numbers = useQuery(rpc.phoneNumbers.list.queryOptions(count)).data?.total
  const hasNoNumber = numbers === 0
  const [name, setName] = useState(known.name ?? "")
  const [isTried, setTried] = useState(false)
  const shownName = name === "" && campaign === undefined ? (known.name ?? "") : name
  const missing = [
    ...(shownName.trim() === "" ? ["a name"] : []),
    ...(known.agent_id === undefined ? ["an agent"] : []),
    ...(known.phone_number_id === undefined ? ["a number"] : []),
  ]
  /** An existing draft is changed at once. Before that, the change is kept until the upload creates the draft. */
  const change = (fields: Partial<NewDraft>) =>
    campaign === undefined ? onChange(fields) : update.mutate({ id: campaign.id, ...fields })
  const next = () => {
    setTried(true)
    if (missing.length > 0) return
    if (shownName !== campaign?.name) change({ name: shownName.trim() })
    onNext()
  }
  useShortcut("⌘↵", "Next step", next)
  return (
    <form
      className="NewCampaign-form"
      onSubmit={(event) => {
        event.preventDefault()
        next()
      }}
    >
      {isTried && missing.length > 0 && (
        <p role="alert" className="Field-problem">
          It needs {missing.join(" and ")}.
        </p>
      )}
      <Field
        label="Name"
        value={shownName}
        onChange={(text) => {
          setName(text)
          if (campaign === undefined) onChange({ name: text })
        }}
        maxLength={200}
        placeholder="November hygiene recall"
        problem={isTried && shownName.trim() === "" ? "Give it a name." : undefined}
      />
      <ChooseAgent
        form="field"
        label="Agent"
        placeholder={hasNoAgent ? "There is no agent yet" : "Choose who calls"}
        chosen={known.agent_id ?? null}
        onChoose={(agent_id) => change({ agent_id })}
      />
      {hasNoAgent && (
        <Link to="/$account/agents" params={{ account: slug }} search={{}}>
          Make an agent first
        </Link>
      )}
      <ChooseNumber
        form="field"
        label="Number"
        placeholder={hasNoNumber ? "There is no number yet" : "Choose the number they see"}
        chosen={known.phone_number_id ?? null}
        onChoose={(phone_number_id) => change({ phone_number_id })}
      />
      {hasNoNumber && (
        <Link to="/$account/phone-numbers/{-$id}" params={{ account: slug }} search={{}}>
          Add a number first
        </Link>
      )}
      {numbers !== undefined && numbers > 1 && (
        <p className="second-line">Under Pace and hours you can add further numbers to call from.</p>
      )}
      {update.isError && <ProblemLine problem={problemOf(update.error)} />}
      <div className="NewCampaign-acts">
        <Link
          to="/$account/campaigns"
          params={{ account: slug }}
          search={{}}
          className="Button Button-second Button-normal"
        >
          Back
        </Link>
        <Button type="submit" look="primary" shortcut="⌘↵">
          Next: contacts
        </Button>
      </div>
    </form>
  )
}
