/** The fields of a number's SIP trunk. */
import { problemAt, problemWithin } from "../../data/Checks.ts"
import type { Form } from "../../data/Fields.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { type RadioProps, Radios } from "../../ui/Radio.tsx"
import type { CarrierTexts } from "./CarrierConfig.ts"
import { SecretField } from "./SecretField.tsx"

export interface TrunkFieldsProps {
  readonly form: Form<CarrierTexts>
  /** True if a password is stored. */
  readonly hasPassword: boolean
}

const transports = [
  { value: "udp", word: "UDP", note: "What most trunks use." },
  { value: "tcp", word: "TCP", note: "For networks that drop long UDP messages." },
  { value: "tls", word: "TLS", note: "Signalling is encrypted." },
  { value: "auto", word: "Automatic", note: "What the DNS records of the server ask for, else UDP." },
] as const

const encryptions = [
  { value: "no", word: "Not encrypted" },
  { value: "yes", word: "Encrypted (SRTP)", note: "Calls fail if the trunk does not encrypt sound." },
] as const

const registrations = [
  { value: "no", word: "Not registered", note: "The trunk knows this server’s address." },
  { value: "yes", word: "Registered", note: "The trunk delivers calls only after a sign-in, as for a telephone." },
] as const

type Choice = "transport" | "srtp" | "register"

interface TrunkRadiosProps<Name extends Choice> {
  readonly form: Form<CarrierTexts>
  readonly name: Name
  readonly label: string
  readonly choices: RadioProps<CarrierTexts[Name]>["choices"]
}

/** A choice among a few settings of the trunk. Hidden from members who may not change it. */
const TrunkRadios = <Name extends Choice>({ choices, form, label, name }: TrunkRadiosProps<Name>) => {
  const { draft, mayChange } = form
  if (!mayChange) return null
  return (
    <Radios
      label={label}
      isLabelSeen
      chosen={draft.value[name]}
      onChoose={(chosen) => draft.set(name, chosen)}
      choices={choices}
    />
  )
}

export const TrunkFields = ({ form, hasPassword }: TrunkFieldsProps) => {
  const { problems } = form
  const at = (name: keyof CarrierTexts) => problemAt(problems, `carrier_config/${name}`)
  return (
    <>
      <DraftField
        form={form}
        name="server"
        label="Server"
        isMono
        hint="The trunk’s host name or address, with a port if it isn’t the usual one: sip.example.com:5080."
        problem={at("server")}
      />
      <TrunkRadios form={form} name="transport" label="Transport" choices={transports} />
      <div className="Form-pair">
        <DraftField form={form} name="username" label="User name" isMono autoComplete="off" problem={at("username")} />
        <SecretField
          form={form}
          name="password"
          label="Password"
          isStored={hasPassword}
          hint="Leave both empty if the trunk knows this server by its address."
        />
      </div>
      <DraftField
        form={form}
        name="from_domain"
        label="Caller’s domain"
        isMono
        hint="Empty: the server’s name."
        problem={at("from_domain")}
      />
      <DraftField
        form={form}
        name="addresses"
        label="Further addresses of the trunk"
        isMono
        hint="IP addresses that the trunk sends from besides its server, with commas in between. Messages from other addresses are ignored."
        problem={problemWithin(problems, "carrier_config/addresses")}
      />
      <TrunkRadios form={form} name="register" label="Calls to the number" choices={registrations} />
      <TrunkRadios form={form} name="srtp" label="Sound" choices={encryptions} />
    </>
  )
}
