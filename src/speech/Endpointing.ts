/**
 * How long somebody who has stopped speaking is waited for, by what was said: a whole sentence is answered soon, one
 * that hangs in the air or a number that is being spelled is not. English; elsewhere its punctuation alone says it. Pure.
 */

/** Milliseconds after the last sound. */
const complete = 300
const unknown = 600
const incomplete = 1_500
/** Between the groups of a number people look for the next one. */
const spelling = 600

/** Words after which something has to come. */
const opensMore =
  /(?:^|\s)(?:and|or|but|because|so|if|that|which|who|when|where|to|of|for|from|with|at|on|in|by|about|the|an?|my|your|our|his|her|their|is|are|was|it'?s|i'?m|um+|uh+|er+m?|like|well|please)$/iu
const isNumber =
  /(?:^|\s)(?:[\d+(][\d\s().+-]*|zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|double|triple|dot|dash|hyphen|underscore|\p{L})$/iu
const wholeAnswer =
  /^(?:yes|no|yeah|yep|nope|sure|okay|ok|right|correct|exactly|hello|hi|bye|goodbye|thank you|thanks)$/iu

export const patienceMs = (text: string): number => {
  const plain = text.trim()
  // A recogniser puts a full stop behind everything.
  const words = plain.replace(/[.…,;:\s]+$/u, "")
  if (words === "") return unknown
  if (isNumber.test(words) && !/[?!]$/u.test(plain)) return unknown + spelling
  if (/[,;:…-]$|\.{3}$/u.test(plain) || opensMore.test(words)) return incomplete
  return /[.!?。！？]["”’)]*$/u.test(plain) || wholeAnswer.test(words) ? complete : unknown
}
