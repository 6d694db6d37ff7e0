/**
 * The form fields for the days that an account keeps its data. An empty field: the account sets no limit of its own.
 */
import { DraftField, type DraftFieldProps } from "../../ui/DraftField.tsx"
import { counted } from "../../words/Figures.ts"

/** `short` is the placeholder of the empty field. */
const fields = [
  { name: "transcript_days", label: "Days to keep words", unset: "as long as the call", short: "as long as the call" },
  {
    name: "recording_days",
    label: "Days to keep recordings",
    unset: "as the platform is set up, usually 30 days",
    short: "usually 30",
  },
  { name: "call_days", label: "Days to keep calls and contacts", unset: "for ever", short: "for ever" },
  {
    name: "event_days",
    label: "Days to keep events",
    unset: "as the platform is set up, usually 30 days",
    short: "usually 30",
  },
  {
    name: "audit_days",
    label: "Days to keep the audit log",
    unset: "as the platform is set up, usually 365 days",
    short: "usually 365",
  },
] as const

type Name = (typeof fields)[number]["name"]
type Kept = Readonly<Record<Name, number | null>>
type Typed = Readonly<Record<Name, string>>

/** The values as the texts of the fields. */
export const typedRetention = (account: Kept | undefined): Record<Name, string> => ({
  transcript_days: String(account?.transcript_days ?? ""),
  recording_days: String(account?.recording_days ?? ""),
  call_days: String(account?.call_days ?? ""),
  event_days: String(account?.event_days ?? ""),
  audit_days: String(account?.audit_days ?? ""),
})

const daysOf = (text: string): number | null => (text.trim() === "" ? null : Number(text))

export const retentionOf = (typed: Typed): Kept => ({
  transcript_days: daysOf(typed.transcript_days),
  recording_days: daysOf(typed.recording_days),
  call_days: daysOf(typed.call_days),
  event_days: daysOf(typed.event_days),
  audit_days: daysOf(typed.audit_days),
})

/** One row for each kind of data: what is kept, and for how long. */
export const retentionFacts = (account: Kept) =>
  fields.map(({ label, name, unset }) => {
    const days = account[name]
    return { label: label.replace("Days to keep", "Keep"), value: days === null ? unset : counted(days, "day") }
  })

export const RetentionFields = ({ form }: { readonly form: DraftFieldProps<Name>["form"] }) => (
  <div className="Form-pair">
    {fields.map(({ label, name, short }) => (
      <DraftField key={name} form={form} name={name} label={label} inputMode="numeric" placeholder={short} />
    ))}
  </div>
)
