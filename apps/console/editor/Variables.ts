/** The variables of a template, and what fills each of them. */

export interface TemplateVariable {
  readonly name: string
  readonly from: number
  readonly to: number
  /** `bare`: without a default, so it is empty for contacts without the column. `unknown`: no call can fill it. */
  readonly kind: "filled" | "bare" | "unknown"
}

/** Variables that every call has. */
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

/** The names of variables without a default, each once. */
export const bareIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    variablesIn(text)
      .filter(({ kind }) => kind === "bare")
      .map(({ name }) => name),
  ),
]
