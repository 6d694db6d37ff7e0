/** Versions in words: their author, and what changed in them. */
import type { Outputs } from "../../data/AccountPulse.ts"

export type Version = Outputs["agents"]["versions"]["list"]["items"][number]
export type VersionChange = Outputs["agents"]["versions"]["diff"]["changes"][number]

/** "Dana", "the key CRM", "Parley". */
export const authorName = (author: Version["created_by"]): string => {
  if (author === null) return "Parley"
  if (author.type === "api_key") return `the key ${author.name}`
  const local = (author.email ?? author.subject).split("@", 1)[0] ?? ""
  const [first = local] = local.split(/[._]/)
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`
}
