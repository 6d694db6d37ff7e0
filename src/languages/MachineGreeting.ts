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
const isMenu = anyOf("menu")
const isOutOfService = anyOf("outOfService")

/** People say "hello" or their name; a machine's greeting is longer. */
const fewestWords = { menu: 3, unreached: 4, voicemail: 5, screening: 6 }

/**
 * `voicemail`: it records after its tone. `full_mailbox`: it takes no message. `screening`: an assistant asks who is
 * calling and why. `menu`: it wants a key. `out_of_service`: the network says that the number does not exist.
 */
export type MachineKind = "voicemail" | "full_mailbox" | "screening" | "menu" | "out_of_service"

/** Null: nothing says that it is not a person. */
export const machineKindOf = (text: string): MachineKind | null => {
  const words = countWords(text)
  if (words >= fewestWords.screening && isScreening(text)) return "screening"
  if (words >= fewestWords.unreached) {
    if (isOutOfService(text)) return "out_of_service"
    if (isFull(text)) return "full_mailbox"
  }
  // Some voicemails offer keys beside the tone: there a message can be left.
  if (words >= fewestWords.voicemail && isVoicemail(text)) return "voicemail"
  return words >= fewestWords.menu && isMenu(text) ? "menu" : null
}

/** What a screening assistant says while it asks the called person. */
export const isScreenerWaiting = (text: string): boolean => asksToWait(text)
