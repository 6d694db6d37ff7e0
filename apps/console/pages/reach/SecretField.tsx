/** A secret of a number's carrier. The stored one is never shown; typing replaces it. */
import { problemAt } from "../../data/Checks.ts"
import type { Form } from "../../data/Fields.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import type { CarrierTexts } from "./CarrierConfig.ts"

export interface SecretFieldProps {
  readonly form: Form<CarrierTexts>
  readonly name: "auth_token" | "api_key" | "password"
  readonly label: string
  readonly isStored: boolean
  /** Shown while no secret is stored. */
  readonly hint?: string
}

export const SecretField = ({ form, hint, isStored, label, name }: SecretFieldProps) => (
  <DraftField
    form={form}
    name={name}
    label={label}
    type="password"
    autoComplete="off"
    {...(isStored && { placeholder: "••••••••" })}
    hint={isStored ? "Stored. Type to replace it." : hint}
    problem={problemAt(form.problems, `carrier_config/${name}`)}
  />
)
