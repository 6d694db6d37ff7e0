/** One phone number: its calls and its rest, and the form of its label, the agent that answers it, limits and carrier. */
import { IconX } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { PhoneNumberChange } from "../../../../src/rpc/inputs/PhoneNumbers.ts"
import { ChooseAgent } from "../../choose/ChooseAgent.tsx"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useDraft } from "../../data/Draft.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useSaving } from "../../data/Saving.ts"
import { Chosen } from "../../shell/Chosen.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { CopyText } from "../../ui/CopyText.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { Field } from "../../ui/Field.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { SaveGuards } from "../../ui/SaveGuards.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { type Carrier, type CarrierTexts, configOf, isAnswered, secretNames, textsOf } from "./CarrierConfig.ts"
import { CarrierFields } from "./CarrierFields.tsx"
import { CheckNumber } from "./CheckNumber.tsx"
import { NumberLimits } from "./NumberLimits.tsx"
import { NumberUse } from "./NumberUse.tsx"

type PhoneNumber = Outputs["phoneNumbers"]["get"]

const noAgent = { id: "none", word: "No agent" }

/** The changes that the browser may store: typed secrets are replaced by the stored ones. */
const withoutSecrets = (changes: Partial<PhoneNumber>, saved: PhoneNumber): Partial<PhoneNumber> => {
  const { carrier = saved.carrier, carrier_config } = changes
  if (carrier_config === undefined) return changes
  const texts = { ...textsOf(carrier_config), ...Object.fromEntries(secretNames.map((name) => [name, ""])) }
  return { ...changes, carrier_config: configOf(carrier, texts, saved.carrier_config) }
}

export const OneNumber = ({ number: saved }: { readonly number: PhoneNumber }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useDraft("phone-number", saved.id, saved, withoutSecrets)
  const { carrier, carrier_config, inbound_agent_id } = draft.value
  const { data: agent } = useQuery(
    rpc.agents.get.queryOptions({ id: inbound_agent_id ?? "" }, { enabled: inbound_agent_id !== null }),
  )
  const [texts, setTexts] = useState(() => textsOf(draft.value.carrier_config))
  const [isDeleting, setDeleting] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const name = formatNumber(saved.number)
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: rpc.phoneNumbers.pathKey() }),
      queries.invalidateQueries({ queryKey: rpc.callerNumbers.pathKey() }),
    ])
  const saving = useSaving({
    draft,
    schema: PhoneNumberChange,
    send: (etag) => client.phoneNumbers.update.mutate({ ...draft.changes, id: saved.id, etag }),
    refresh,
    onSaved: () => notice({ text: `${name} is saved.` }),
  })
  const { mayChange, problems } = saving
  const setText = (field: keyof CarrierTexts, text: string) => {
    const typed = { ...texts, [field]: text }
    setTexts(typed)
    draft.set("carrier_config", configOf(carrier, typed, saved.carrier_config))
  }
  const chooseCarrier = (chosen: Carrier) => {
    draft.set("carrier", chosen)
    draft.set("carrier_config", configOf(chosen, texts, saved.carrier_config))
  }
  return (
    <Chosen
      name={name}
      title={<CopyText text={saved.number} shown={name} label="the number" />}
      beside={draft.isDirty && <Tag tone="note">unsaved</Tag>}
      second={
        isAnswered(saved)
          ? "Campaigns can dial from it, and an agent answers the calls that its carrier delivers here."
          : "Campaigns can dial from it. Calls to it aren’t answered."
      }
      acts={
        mayChange && (
          <>
            <Button look="stop" onPress={() => setDeleting(true)}>
              Delete…
            </Button>
            <Button isDisabled={draft.isDirty} onPress={() => setChecking(true)}>
              Check…
            </Button>
            <SaveButton saving={saving} draft={draft} />
          </>
        )
      }
    >
      <SaveGuards
        saving={saving}
        draft={draft}
        saved={saved}
        name={name}
        within={`/${slug}/phone-numbers/${saved.id}`}
      />
      <NumberUse id={saved.id} name={name} />
      <div className="Form">
        <DraftField form={{ draft, problems, mayChange }} name="label" label="Label" />
        {mayChange ? (
          <ChooseAgent
            form="field"
            label="Agent that answers"
            none={noAgent}
            chosen={inbound_agent_id ?? noAgent.id}
            onChoose={(id) => draft.set("inbound_agent_id", (id === noAgent.id ? null : id) as typeof inbound_agent_id)}
          />
        ) : (
          <Field label="Agent that answers" value={agent?.name ?? noAgent.word} isReadOnly />
        )}
        <NumberLimits form={{ draft, problems, mayChange }} />
        <CarrierFields
          carrier={carrier}
          onChoose={chooseCarrier}
          form={{ draft: { value: texts, set: setText }, problems, mayChange }}
          hasSecret={(name) => name in carrier_config}
        />
      </div>
      {isChecking && <CheckNumber id={saved.id} name={name} onClose={() => setChecking(false)} />}
      <Confirm
        question={`Delete ${name}?`}
        lines={[
          {
            icon: <IconX aria-hidden />,
            text: "Campaigns can’t dial from it and no agent answers it. Past calls stay.",
          },
        ]}
        verb="Delete the number"
        leave="Keep it"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await client.phoneNumbers.remove.mutate({ id: saved.id })
          draft.drop()
          await navigate({ to: "/$account/phone-numbers/{-$id}", params: { account: slug, id: undefined } })
          await refresh()
          notice({ text: `${name} is deleted.` })
        }}
      />
    </Chosen>
  )
}
