/** What a number's carrier needs: its account, its secret, how fast calls may begin. */
import { problemAt } from "../../data/Checks.ts"
import type { Form } from "../../data/Fields.ts"
import { DraftField } from "../../ui/DraftField.tsx"

export type Carrier = "lab" | "sip" | "twilio"

export const carriers = [
  { value: "lab", word: "Lab", note: "A simulated network. No real phone rings." },
  { value: "twilio", word: "Twilio", note: "Needs an account SID and its auth token." },
  { value: "sip", word: "SIP", note: "Your own trunk, if this build supports it." },
] as const

export interface CarrierTexts {
  readonly account_sid: string
  readonly auth_token: string
  readonly calls_per_second: string
}

export const noTexts: CarrierTexts = { account_sid: "", auth_token: "", calls_per_second: "" }

const mask = "********"

type Config = Readonly<Record<string, string | number | boolean | null | object>>

const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? `${value}` : "")

export const textsOf = (config: object): CarrierTexts => {
  const { account_sid, auth_token, calls_per_second } = config as Record<string, unknown>
  return {
    account_sid: textOf(account_sid),
    auth_token: auth_token === mask ? "" : textOf(auth_token),
    calls_per_second: textOf(calls_per_second),
  }
}

/** A token that is not typed anew stays; what this form does not know stays as it is. */
export const configOf = (carrier: Carrier, texts: CarrierTexts, before: object): Record<string, never> => {
  const { account_sid: _a, auth_token: token, calls_per_second: _c, ...others } = before as Config
  const pace = Number(texts.calls_per_second)
  const kept = texts.auth_token === "" ? token : texts.auth_token
  return {
    ...others,
    ...(carrier === "twilio" && texts.account_sid !== "" && { account_sid: texts.account_sid }),
    ...(carrier === "twilio" && kept !== undefined && { auth_token: kept }),
    ...(texts.calls_per_second !== "" && { calls_per_second: Number.isNaN(pace) ? texts.calls_per_second : pace }),
  } as Record<string, never>
}

export interface CarrierFieldsProps {
  readonly carrier: Carrier
  readonly form: Form<CarrierTexts>
  /** A secret is stored already. */
  readonly hasToken?: boolean
}

export const CarrierFields = (props: CarrierFieldsProps) => {
  const { carrier, form, hasToken = false } = props
  const { problems } = form
  return (
    <>
      {carrier === "twilio" && (
        <div className="Form-pair">
          <DraftField
            form={form}
            name="account_sid"
            label="Account SID"
            isMono
            problem={problemAt(problems, "carrier_config/account_sid")}
          />
          <DraftField
            form={form}
            name="auth_token"
            label="Auth token"
            type="password"
            autoComplete="off"
            {...(hasToken && { placeholder: "••••••••" })}
            hint={hasToken ? "Stored. Type to replace it." : undefined}
            problem={problemAt(problems, "carrier_config/auth_token")}
          />
        </div>
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
