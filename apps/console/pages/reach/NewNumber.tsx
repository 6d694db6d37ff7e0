/** A new phone number: its digits and the carrier that carries it; the rest is set once it is there. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { NewPhoneNumber } from "../../../../src/rpc/inputs/PhoneNumbers.ts"
import { useAccount } from "../../data/Account.tsx"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { type Carrier, carriers, CarrierFields, type CarrierTexts, configOf, noTexts } from "./CarrierFields.tsx"

export const NewNumber = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState("")
  const [label, setLabel] = useState("")
  const [carrier, setCarrier] = useState<Carrier>("lab")
  const [texts, setTexts] = useState<CarrierTexts>(noTexts)
  const value = {
    number: typed.replaceAll(/[\s().-]/g, ""),
    label,
    carrier,
    carrier_config: configOf(carrier, texts, {}),
  }
  return (
    <FormDialog
      title="New phone number"
      verb="Add the number"
      schema={NewPhoneNumber}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.phoneNumbers.create.mutate(NewPhoneNumber.parse(value))
        await queries.invalidateQueries({ queryKey: rpc.phoneNumbers.pathKey() })
        onClose()
        await navigate({ to: "/$account/phone-numbers/{-$id}", params: { account: slug, id } })
      }}
    >
      {(problems) => (
        <>
          <Field
            label="Number"
            autoFocus
            isMono
            value={typed}
            onChange={setTyped}
            placeholder="+1 617 555 0100"
            problem={said(problems["number"])}
            hint="With + and the country code."
          />
          <Field
            label="Label"
            value={label}
            onChange={setLabel}
            problem={said(problems["label"])}
            hint="For example: Front desk."
          />
          <Radios label="Carrier" isLabelSeen chosen={carrier} onChoose={setCarrier} choices={carriers} />
          <CarrierFields carrier={carrier} texts={texts} onChange={setTexts} problems={problems} />
        </>
      )}
    </FormDialog>
  )
}
