/** Whether a machine took the call, by the first words after the answer. */
import type { Outcome } from "../domain/Call.ts"

const phrases =
  /\b(?:after the (?:tone|beep|signal)|at the (?:tone|beep)|leave (?:a|your|me a) (?:message|name)|voice ?mail|mailbox|can(?:'|’|no)t (?:take|come to|answer)|(?:is|am|are) (?:not|un)\s?available|record your message)\b/iu

/** People say "hello" or their name; a machine's greeting is longer. */
const fewestWords = 6

export const isMachineGreeting = (text: string): boolean =>
  text.trim().split(/\s+/u).length >= fewestWords && phrases.test(text)

/**
 * The outcome of an answered phone call that was cut, by the first words of the called party (decision 0029). Without a
 * word it is `unknown`: a machine may have answered.
 */
export const outcomeOfCut = (firstWords: string | null): Outcome => {
  if (firstWords === null) return "unknown"
  return isMachineGreeting(firstWords) ? "voicemail" : "answered"
}
