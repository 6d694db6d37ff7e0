/** Where transfer_call may send a call: the usual number, and others that the model may name. */
import { IconAlertTriangle } from "@tabler/icons-react"
import { Field } from "../../ui/Field.tsx"
import { LinesField } from "../../ui/LinesField.tsx"
import type { AgentTool } from "./Agent.ts"

type Config = AgentTool["config"]

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/** The usual number first. None: the agent transfers no call. */
export const targetsOf = ({ allowed, to }: Config): ReadonlyArray<string> => [
  ...new Set([textOf(to), ...textsOf(allowed)].filter((number) => number !== "")),
]

const e164 = /^\+[1-9]\d{6,14}$/

/** A sentence about the first entry that is not a phone number. */
export const transferFault = (config: Config): string | undefined => {
  const wrong = targetsOf(config).find((number) => !e164.test(number))
  return wrong === undefined
    ? undefined
    : `${wrong} is not a phone number with its country code. Write it such as +16175550100.`
}

export interface TransferSettingsProps {
  readonly config: Config
  readonly onChange: (config: Config) => void
}

export const TransferSettings = ({ config, onChange }: TransferSettingsProps) => {
  const { allowed: _allowed, to: _to, ...others } = config
  const usual = textOf(config["to"])
  const further = targetsOf(config).filter((number) => number !== usual)
  const put = (to: string, numbers: ReadonlyArray<string>) => {
    const allowed = [...new Set([to, ...numbers].filter((number) => number !== ""))]
    onChange({ ...others, ...(to !== "" && { to }), ...(allowed.length > 0 && { allowed }) })
  }
  return (
    <div className="Form">
      <Field
        label="Usual number"
        isMono
        value={usual}
        onChange={(to) => put(to.trim(), further)}
        placeholder="+16175550100"
        hint="Calls go here unless the agent is told one of the numbers below."
      />
      <LinesField
        label="Other numbers it may transfer to"
        isMono
        lines={further}
        onLines={(numbers) => put(usual, numbers)}
        hint="One a line, with the country code."
      />
      {targetsOf(config).length === 0 && (
        <p className="Kit-warning">
          <IconAlertTriangle aria-hidden /> There is no number to transfer to, so no call can be transferred. Add one.
        </p>
      )}
    </div>
  )
}
