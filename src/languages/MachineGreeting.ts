/**
 * What took the call, by the first words after the answer. Recognised in every language: a network's announcement is in
 * the network's language, whatever the agent speaks. Pure.
 */
import { languages } from "./Languages.ts"
import type { MachineGreetings } from "./Language.ts"
import { countWords, makeRecogniser } from "./Phrases.ts"

const anyOf = (kind: keyof MachineGreetings) => makeRecogniser(languages.flatMap(({ machines }) => machines[kind]))
const isVoicemail = anyOf("voicemail")
const isFull = anyOf("full")
const isScreening = anyOf("screening")
const asksToWait = anyOf("screened")

/** People say "hello" or their name; a machine's greeting is longer. */
const fewestWords = { voicemail: 6, screening: 8 }

/**
 * `voicemail`: it records after its tone. `full_mailbox`: it takes no message. `screening`: an assistant asks who is
 * calling and why.
 */
export type MachineKind = "voicemail" | "full_mailbox" | "screening"

/** Null: nothing says that it is not a person. */
export const machineKindOf = (text: string): MachineKind | null => {
  const words = countWords(text)
  if (words >= fewestWords.screening && isScreening(text)) return "screening"
  if (words < fewestWords.voicemail) return null
  if (isFull(text)) return "full_mailbox"
  return isVoicemail(text) ? "voicemail" : null
}

/** What a screening assistant says while it asks the called person. */
export const isScreenerWaiting = (text: string): boolean => asksToWait(text)
