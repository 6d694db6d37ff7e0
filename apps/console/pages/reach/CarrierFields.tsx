/** The fields of a number's carrier: its account or server, its secret, and its call rate. */
import { problemAt } from "../../data/Checks.ts"
import type { Form } from "../../data/Fields.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { Radios } from "../../ui/Radio.tsx"
import type { Carrier, CarrierTexts } from "./CarrierConfig.ts"
import { SecretField } from "./SecretField.tsx"
import { TrunkFields } from "./TrunkFields.tsx"

const carriers = [
  { value: "lab", word: "Lab", note: "A simulated network. No real phone rings." },
  { value: "twilio", word: "Twilio", note: "Needs an account SID and its auth token." },
  {
    value: "telnyx",
    word: "Telnyx",
    note: "Needs an API key, a Call Control application and the account's public key.",
  },
  { value: "sip", word: "SIP", note: "Your own trunk. The operator of this server must have switched SIP on." },
] as const

export interface CarrierFieldsProps {
  readonly carrier: Carrier
  readonly onChoose: (carrier: Carrier) => void
  readonly form: Form<CarrierTexts>
  /** True if a secret of this name is stored. */
  readonly hasSecret: (name: "auth_token" | "api_key" | "password") => boolean
}

export const CarrierFields = ({ carrier, form, hasSecret, onChoose }: CarrierFieldsProps) => {
  const { mayChange, problems } = form
  return (
    <>
      {mayChange && <Radios label="Carrier" isLabelSeen chosen={carrier} onChoose={onChoose} choices={carriers} />}
      {carrier === "sip" && <TrunkFields form={form} hasPassword={hasSecret("password")} />}
      {carrier === "twilio" && (
        <div className="Form-pair">
          <DraftField
            form={form}
            name="account_sid"
            label="Account SID"
            isMono
            problem={problemAt(problems, "carrier_config/account_sid")}
          />
          <SecretField form={form} name="auth_token" label="Auth token" isStored={hasSecret("auth_token")} />
        </div>
      )}
      {carrier === "telnyx" && (
        <>
          <div className="Form-pair">
            <SecretField form={form} name="api_key" label="API key" isStored={hasSecret("api_key")} />
            <DraftField
              form={form}
              name="connection_id"
              label="Connection ID"
              isMono
              hint="The ID of the Call Control application."
              problem={problemAt(problems, "carrier_config/connection_id")}
            />
          </div>
          <DraftField
            form={form}
            name="public_key"
            label="Public key"
            isMono
            hint="Telnyx portal: Keys & Credentials, Public key. Parley verifies Telnyx's webhooks with it."
            problem={problemAt(problems, "carrier_config/public_key")}
          />
        </>
      )}
      <DraftField
        form={form}
        name="calls_per_second"
        label="Calls started per second"
        inputMode="decimal"
        problem={problemAt(problems, "carrier_config/calls_per_second", "carrier_config")}
        hint={`0.1 to 100. Empty: ${carrier === "twilio" ? "1" : "no limit"}.`}
      />
    </>
  )
}
