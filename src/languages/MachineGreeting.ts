/**
 * What took the call, by the first words after the answer. Recognised in every language: a network's announcement is in
 * the network's language, whatever the agent speaks. Pure.
 */
import { languages } from "./Languages.ts"
import type { MachineGreetings, MachineHints, Phrases } from "./Language.ts"
import { countWords, makeRecogniser } from "./Phrases.ts"

const anyOf = (kind: Exclude<keyof MachineGreetings, "hints">) =>
  makeRecogniser(languages.flatMap(({ machines }) => machines[kind]))
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
 * `announcement`: it says something like that, of which too many words were lost.
 */
export type MachineKind = "voicemail" | "full_mailbox" | "screening" | "menu" | "out_of_service" | "announcement"

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

/** The most different hints of one language that occur in the text. */
const makeCounter = (kind: keyof MachineHints): ((text: string) => number) => {
  const occursIn = (phrase: string) => makeRecogniser([phrase] satisfies Phrases)
  const ofLanguages = languages.map(({ machines }) => machines.hints[kind].map(occursIn))
  return (text) => Math.max(...ofLanguages.map((hints) => hints.filter((occurs) => occurs(text)).length))
}

/** In the order in which they count: words of screening assistants are the least particular, so it takes more of them. */
const hinted = [
  { kind: "announcement", count: makeCounter("announcement"), fewest: 2 },
  { kind: "full_mailbox", count: makeCounter("full"), fewest: 2 },
  { kind: "screening", count: makeCounter("screening"), fewest: 3 },
] as const

/** Fewer words than this may be a person's, whatever hints are in them. */
const fewestWordsHinted = 3

/**
 * What hints say about the sentences that were said until now, of which `machineKindOf` recognised none: a recogniser may
 * have lost the decisive word of each. Null: nothing.
 */
export const hintedKindOf = (sentences: ReadonlyArray<string>): MachineKind | null => {
  const text = sentences.join(". ")
  if (countWords(text) < fewestWordsHinted) return null
  return hinted.find(({ count, fewest }) => count(text) >= fewest)?.kind ?? null
}

/** What a screening assistant says while it asks the called person. */
export const isScreenerWaiting = (text: string): boolean => asksToWait(text)
