/** Adds a phone number with its carrier. Other settings follow on its page. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { NewPhoneNumber } from "../../../../src/rpc/inputs/PhoneNumbers.ts"
import { useAccount } from "../../data/Account.tsx"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { type Carrier, configOf, noTexts } from "./CarrierConfig.ts"
import { CarrierFields } from "./CarrierFields.tsx"

export const NewNumber = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useFields<{ number: string; label: string; carrier: Carrier }>({
    number: "",
    label: "",
    carrier: "lab",
  })
  const texts = useFields(noTexts)
  const { carrier, label, number } = draft.value
  const value = {
    number: number.replaceAll(/[\s().-]/g, ""),
    label,
    carrier,
    carrier_config: configOf(carrier, texts.value, {}),
  }
  return (
    <FormDialog
      title="New phone number"
      verb="Add the number"
      schema={NewPhoneNumber}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.phoneNumbers.create.mutate(NewPhoneNumber.parse(value))
        await queries.invalidateQueries({ queryKey: rpc.phoneNumbers.pathKey() })
        onClose()
        await navigate({ to: "/$account/phone-numbers/{-$id}", params: { account: slug, id } })
      }}
    >
      {(form) => (
        <>
          <DraftField
            form={form}
            name="number"
            label="Number"
            autoFocus
            isMono
            placeholder="+1 617 555 0100"
            hint="With + and the country code."
          />
          <DraftField form={form} name="label" label="Label" hint="For example: Front desk." />
          <CarrierFields
            carrier={carrier}
            onChoose={(chosen) => draft.set("carrier", chosen)}
            form={{ ...form, draft: texts }}
            hasSecret={() => false}
          />
        </>
      )}
    </FormDialog>
  )
}
