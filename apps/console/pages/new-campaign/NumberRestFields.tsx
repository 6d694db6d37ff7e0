/** When a number of a campaign rests automatically, and for how long. An empty field takes the usual value. */
import { CampaignChange } from "../../../../src/rpc/inputs/Campaigns.ts"
import { findProblems, problemAt } from "../../data/Checks.ts"
import { useFields } from "../../data/Fields.ts"
import { DraftField } from "../../ui/DraftField.tsx"

interface Rule {
  readonly min_calls?: number
  readonly below_percent?: number
  readonly rest_hours?: number
}

const fields = [
  { name: "min_calls", label: "Calls in 7 days before a number is compared", usual: "usually 100" },
  { name: "below_percent", label: "Rest below this percentage of the others’ answer rate", usual: "usually 50" },
  { name: "rest_hours", label: "Hours of rest", usual: "usually 24" },
] as const

type Texts = Record<(typeof fields)[number]["name"], string>

const textsOf = (rule: Rule): Texts => ({
  min_calls: String(rule.min_calls ?? ""),
  below_percent: String(rule.below_percent ?? ""),
  rest_hours: String(rule.rest_hours ?? ""),
})

const ruleOf = (texts: Texts): Rule =>
  Object.fromEntries(fields.flatMap(({ name }) => (texts[name].trim() === "" ? [] : [[name, Number(texts[name])]])))

export interface NumberRestFieldsProps {
  readonly rule: Rule
  readonly onChange: (rule: Rule) => void
}

export const NumberRestFields = ({ onChange, rule }: NumberRestFieldsProps) => {
  const draft = useFields(() => textsOf(rule))
  const typed = ruleOf(draft.value)
  const problems = findProblems(CampaignChange, { number_rest: typed })
  const save = () => {
    if (Object.keys(problems).length > 0) return
    if (fields.some(({ name }) => typed[name] !== rule[name])) onChange(typed)
  }
  return (
    <>
      {fields.map(({ label, name, usual }) => (
        <DraftField
          key={name}
          form={{ draft, problems, mayChange: true }}
          name={name}
          label={label}
          inputMode="numeric"
          placeholder={usual}
          onBlur={save}
          problem={problemAt(problems, `number_rest/${name}`)}
        />
      ))}
    </>
  )
}
