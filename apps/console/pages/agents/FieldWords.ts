/** The fields of an agent's draft in words, and their values as lines of text. */
import type { EditedAgent } from "./Agent.ts"
import { faqField, toolField } from "./KitDraft.ts"

const words: Readonly<Record<string, string>> = {
  first_message: "first words",
  system_prompt: "system prompt",
  max_call_seconds: "longest call",
  silence_timeout_seconds: "silence",
  interruptible: "interruption",
  voicemail_action: "voicemail",
  outcome_schema: "result of a call",
}

/** A field in words, within a sentence. */
export const fieldWord = (field: string): string => {
  const tool = toolField.exec(field)?.[1]
  if (tool !== undefined) return `tool ${tool}`
  return faqField.test(field) ? "FAQs" : (words[field] ?? field.replaceAll("_", " "))
}

/** The words of these fields, each once: many FAQs share one word. */
export const fieldWords = (fields: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(fields.map((field) => fieldWord(field))),
]

export const shownText = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "none" : (JSON.stringify(value, null, 2) ?? "")

/** A changed field before and after. */
export const fieldTexts = (
  field: keyof EditedAgent & string,
  saved: EditedAgent,
  drafted: EditedAgent,
): { readonly before: string; readonly after: string } => {
  if (field === "playbooks") {
    const names = ({ playbooks }: EditedAgent) => playbooks.map(({ name }) => name).join("\n")
    return { before: names(saved), after: names(drafted) }
  }
  if (faqField.test(field)) {
    const { has, question } = drafted[field as "faq:"] ?? { has: false, question: "" }
    return has ? { before: "", after: question } : { before: question, after: "" }
  }
  // A removed tool is shown as an empty text, not as "none".
  const isTool = toolField.test(field)
  const [before, after] = [saved, drafted].map((agent) =>
    shownText(isTool ? (agent[field] ?? undefined) : agent[field]),
  )
  return { before: before ?? "", after: after ?? "" }
}
