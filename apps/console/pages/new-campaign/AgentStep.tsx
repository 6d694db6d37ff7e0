/** Who calls, from which number, and what the campaign is called. */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { useEveryAgent, useEveryNumber } from "../../data/Choices.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { dialled } from "../../words/PhoneNumbers.ts"
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
  const agents = useEveryAgent()
  const numbers = useEveryNumber()
  const [name, setName] = useState(known.name ?? "")
  const [isTried, setTried] = useState(false)
  const shownName = name === "" && campaign === undefined ? (known.name ?? "") : name
  const missing = [
    ...(shownName.trim() === "" ? ["a name"] : []),
    ...(known.agent_id === undefined ? ["an agent"] : []),
    ...(known.phone_number_id === undefined ? ["a number"] : []),
  ]
  /** A draft takes the change at once; before there is one, it is kept until the file makes it. */
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
      <SelectMenu
        form="field"
        label="Agent"
        placeholder={agents?.length === 0 ? "There is no agent yet" : "Choose who calls"}
        chosen={known.agent_id ?? null}
        choices={agents?.map(({ description, id, name }) => ({ id, word: name, note: description }))}
        onChoose={(agent_id) => change({ agent_id })}
      />
      {agents?.length === 0 && (
        <Link to="/$account/agents" params={{ account: slug }} search={{}}>
          Make an agent first
        </Link>
      )}
      <SelectMenu
        form="field"
        label="Number"
        placeholder={numbers?.length === 0 ? "There is no number yet" : "Choose the number they see"}
        chosen={known.phone_number_id ?? null}
        choices={numbers?.map(({ carrier, id, label, number }) => ({
          id,
          word: dialled(number),
          note: [label, carrier].filter((part) => part !== "").join(", "),
        }))}
        onChoose={(phone_number_id) => change({ phone_number_id })}
      />
      {numbers?.length === 0 && (
        <Link to="/$account/phone-numbers/{-$id}" params={{ account: slug }} search={{}}>
          Add a number first
        </Link>
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
