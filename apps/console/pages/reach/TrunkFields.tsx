/** The SIP trunk that a number is called over. */
import { problemAt, problemWithin } from "../../data/Checks.ts"
import type { Form } from "../../data/Fields.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { Radios } from "../../ui/Radio.tsx"
import type { CarrierTexts } from "./CarrierConfig.ts"

export interface TrunkFieldsProps {
  readonly form: Form<CarrierTexts>
  /** A password is stored already. */
  readonly hasPassword: boolean
}

const transports = [
  { value: "udp", word: "UDP", note: "What most trunks use." },
  { value: "tcp", word: "TCP", note: "For networks that drop long UDP messages." },
  { value: "tls", word: "TLS", note: "Signalling is encrypted." },
] as const

const encryptions = [
  { value: "no", word: "Not encrypted" },
  { value: "yes", word: "Encrypted (SRTP)", note: "Calls fail if the trunk does not encrypt sound." },
] as const

export const TrunkFields = ({ form, hasPassword }: TrunkFieldsProps) => {
  const { draft, mayChange, problems } = form
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
      {mayChange && (
        <Radios
          label="Transport"
          isLabelSeen
          chosen={draft.value.transport}
          onChoose={(chosen) => draft.set("transport", chosen)}
          choices={transports}
        />
      )}
      <div className="Form-pair">
        <DraftField form={form} name="username" label="User name" isMono autoComplete="off" problem={at("username")} />
        <DraftField
          form={form}
          name="password"
          label="Password"
          type="password"
          autoComplete="off"
          {...(hasPassword && { placeholder: "••••••••" })}
          hint={
            hasPassword
              ? "Stored. Type to replace it."
              : "Leave both empty if the trunk knows this server by its address."
          }
          problem={at("password")}
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
        hint="IPv4 addresses that the trunk sends from besides its server, with commas in between. Messages from other addresses are ignored."
        problem={problemWithin(problems, "carrier_config/addresses")}
      />
      {mayChange && (
        <Radios
          label="Sound"
          isLabelSeen
          chosen={draft.value.srtp}
          onChoose={(chosen) => draft.set("srtp", chosen)}
          choices={encryptions}
        />
      )}
    </>
  )
}
