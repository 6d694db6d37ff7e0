/**
 * What a call begins with, before the agent's first message: the disclosure, the key against further calls, and the
 * notice of a recording. They are one reply that cannot be interrupted. Pure.
 */
import type { Agent } from "../domain/Agent.ts"
import type { Language } from "../languages/Language.ts"
import { languageOf } from "../languages/Languages.ts"
import { addWords, say } from "./Replies.ts"
import type { Reply, Setup, Talk, Then } from "./Talk.ts"

/** The sentence that names the key; empty if no key counts. */
export const keySentenceOf = ({ language, opt_out_key }: Pick<Agent, "language" | "opt_out_key">): string => {
  if (opt_out_key === null) return ""
  const { keyNames, sentences } = languageOf(language)
  return sentences.pressToOptOut.replace("{key}", nameOf(keyNames, opt_out_key))
}

const nameOf = ({ hash, star }: Language["keyNames"], key: string): string =>
  key === "*" ? star : key === "#" ? hash : key

export const hasOpening = ({ disclosure, notice }: Setup): boolean => disclosure !== "" || notice !== ""

/** Begins the opening. The words `more` follow it, and `afterwards` follows when everything was heard. */
export const begin = (talk: Talk, afterwards: Then, more = ""): Talk => {
  const { disclosure, notice } = talk.setup
  const rest = [notice, more].filter((text) => text !== "").join(" ")
  const opening = {
    started_by: "agent",
    interruptible: false,
    afterwards,
    greets: afterwards._tag === "Greet",
  } as const
  if (disclosure === "") return say(talk, rest, opening)
  const said = say(talk, disclosure, opening)
  if (said.reply === null) return said
  const marked: Reply = { ...said.reply, discloses: said.reply.pieces.length }
  return rest === "" ? { ...said, reply: marked } : addWords(said, marked, rest)
}
