/** The agents that use a catalog item, in a sentence. */
import { joinNames } from "../../words/Figures.ts"

export interface CatalogUser {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
}

/** The most agents listed by name. More are only counted. */
const most = 4

const names = (users: ReadonlyArray<CatalogUser>): string =>
  users.length > most ? `${users.length} agents` : joinNames(users.map(({ name }) => name))

export const usersSentence = (users: ReadonlyArray<CatalogUser>, { fixesName = false } = {}): string => {
  const on = users.filter(({ enabled }) => enabled)
  const off = users.filter(({ enabled }) => !enabled)
  if (users.length === 0) return "No agent has it yet."
  const words = [
    ...(on.length > 0 ? [`On for ${names(on)}.`] : []),
    ...(off.length > 0 ? [`Off for ${names(off)}.`] : []),
    ...(fixesName ? ["The name is fixed while an agent uses it."] : []),
  ]
  return words.join(" ")
}
