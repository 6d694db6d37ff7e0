/**
 * How long to wait after a person stops speaking, by their words: a whole sentence is answered soon; an unfinished one,
 * or a number that is being spelled, is not. English; in other languages only punctuation counts. Pure.
 */

/** Milliseconds after the last sound. */
const complete = 300
const unknown = 600
const incomplete = 1_500
/** People pause between the groups of a number. */
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
