/**
 * Recognises what answered the call, by the first words after the answer. The phrases of all languages are tried,
 * because a network's announcement is in the network's language, whatever the agent speaks. Pure.
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

/**
 * The fewest words by which a kind of machine is recognised. People say "hello" or their name; a machine's greeting is
 * longer.
 */
const fewestWords = { menu: 3, unreached: 4, voicemail: 5, screening: 6 }

/**
 * `voicemail`: it records after its tone. `full_mailbox`: it takes no message. `screening`: an assistant asks who is
 * calling and why. `menu`: it wants a key. `out_of_service`: the network says that the number does not exist.
 * `announcement`: the network says something like that, but too many of its words were lost.
 */
export type MachineKind = "voicemail" | "full_mailbox" | "screening" | "menu" | "out_of_service" | "announcement"

/** The kind of machine that says this text. Null if nothing shows that it is not a person. */
export const machineKindOf = (text: string): MachineKind | null => {
  const words = countWords(text)
  if (words >= fewestWords.screening && isScreening(text)) return "screening"
  if (words >= fewestWords.unreached) {
    if (isOutOfService(text)) return "out_of_service"
    if (isFull(text)) return "full_mailbox"
  }
  // Checked before the menu: some voicemails also offer keys, and a message can be left there.
  if (words >= fewestWords.voicemail && isVoicemail(text)) return "voicemail"
  return words >= fewestWords.menu && isMenu(text) ? "menu" : null
}

/** Returns the function that counts the different hints in a text: those of the language that has the most. */
const makeCounter = (kind: keyof MachineHints): ((text: string) => number) => {
  const occursIn = (phrase: string) => makeRecogniser([phrase] satisfies Phrases)
  const ofLanguages = languages.map(({ machines }) => machines.hints[kind].map(occursIn))
  return (text) => Math.max(...ofLanguages.map((hints) => hints.filter((occurs) => occurs(text)).length))
}

/**
 * The kinds in the order of precedence, with the fewest hints that they need. Words of screening assistants are the
 * least specific, so more of them are needed.
 */
const hinted = [
  { kind: "announcement", count: makeCounter("announcement"), fewest: 2 },
  { kind: "full_mailbox", count: makeCounter("full"), fewest: 2 },
  { kind: "screening", count: makeCounter("screening"), fewest: 3 },
] as const

/** Fewer words than this may be a person's, whatever hints they contain. */
const fewestWordsHinted = 3

/**
 * The kind of machine that hints show in the sentences said so far. Null if they show none. `machineKindOf` recognised
 * none of these sentences: a recogniser may have lost the decisive word of each.
 */
export const hintedKindOf = (sentences: ReadonlyArray<string>): MachineKind | null => {
  const text = sentences.join(". ")
  if (countWords(text) < fewestWordsHinted) return null
  return hinted.find(({ count, fewest }) => count(text) >= fewest)?.kind ?? null
}

/** Whether this is what a screening assistant says while it asks the called person. */
export const isScreenerWaiting = (text: string): boolean => asksToWait(text)
