/** The fields of a number's limits, which hold for all campaigns and direct calls together. Empty: no limit. */
import { type FieldProblems, problemAt } from "../../data/Checks.ts"
import { Field } from "../../ui/Field.tsx"

type Limit = "max_calls_per_day" | "min_seconds_between_calls"

const limits: ReadonlyArray<{ readonly name: Limit; readonly label: string; readonly hint: string }> = [
  { name: "max_calls_per_day", label: "Calls per day, at most", hint: "Empty: no limit." },
  {
    name: "min_seconds_between_calls",
    label: "Seconds between calls, at least",
    hint: "From the start of one call to the next. Empty: none.",
  },
]

export interface NumberLimitsProps {
  readonly form: {
    readonly draft: {
      readonly value: Readonly<Record<Limit, number | null>>
      readonly set: (name: Limit, value: number | null) => void
    }
    readonly problems: FieldProblems
    readonly mayChange: boolean
  }
}

/** Only digits can be typed, so that a slip cannot become "no limit". */
const limitOf = (typed: string): number | null => {
  const digits = typed.replaceAll(/\D/gu, "")
  return digits === "" ? null : Number(digits)
}

export const NumberLimits = ({ form: { draft, mayChange, problems } }: NumberLimitsProps) => (
  <div className="Form-pair">
    {limits.map(({ hint, label, name }) => (
      <Field
        key={name}
        label={label}
        inputMode="numeric"
        maxLength={7}
        value={String(draft.value[name] ?? "")}
        onChange={(typed) => draft.set(name, limitOf(typed))}
        isReadOnly={!mayChange}
        problem={problemAt(problems, name)}
        hint={hint}
      />
    ))}
  </div>
)
