/** The variables that a template speaks, and what becomes of each. */

export interface TemplateVariable {
  readonly name: string
  readonly from: number
  readonly to: number
  /** `bare`: nothing is said in its place where the contact list has none. `unknown`: no call can ever fill it. */
  readonly kind: "filled" | "bare" | "unknown"
}

/** There in every call. */
const always = new Set(["phone_number", "now", "campaign.name"])

const pattern = /\{\{-?\s*(.*?)\s*-?\}\}/gs

export const variablesIn = (text: string): ReadonlyArray<TemplateVariable> =>
  [...text.matchAll(pattern)].map(({ 0: whole, 1: inside = "", index }) => {
    const name = /^[\p{L}_][\p{L}\p{N}_.-]*/u.exec(inside)?.[0] ?? ""
    return { name, from: index, to: index + whole.length, kind: kindOf(name, inside) }
  })

const kindOf = (name: string, inside: string): TemplateVariable["kind"] => {
  if (/^["']/.test(inside)) return "filled"
  if (name === "" || (name.startsWith("campaign.") && name !== "campaign.name")) return "unknown"
  return always.has(name) || /\|\s*default\s*:/.test(inside) ? "filled" : "bare"
}

/** Names without a default, each once. */
export const bareIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    variablesIn(text)
      .filter(({ kind }) => kind === "bare")
      .map(({ name }) => name),
  ),
]
