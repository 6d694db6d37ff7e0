/** Whether a machine took the call, by the first words after the answer. */

const phrases =
  /\b(?:after the (?:tone|beep|signal)|at the (?:tone|beep)|leave (?:a|your|me a) (?:message|name)|voice ?mail|mailbox|can(?:'|’|no)t (?:take|come to|answer)|(?:is|am|are) (?:not|un)\s?available|record your message)\b/iu

/** People say "hello" or their name; a greeting is longer than that. */
const fewestWords = 6

export const isMachineGreeting = (text: string): boolean =>
  text.trim().split(/\s+/u).length >= fewestWords && phrases.test(text)
