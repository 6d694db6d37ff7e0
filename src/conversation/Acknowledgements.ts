/** Words that mean "I am listening" and never interrupt, and words that demand silence and always do. English. */

const acknowledgement =
  /^(?:m+-?h+m*|mm+|hm+|uh-?huh|ah|oh|okay|ok|yeah|yes|yep|right|sure|alright|all right|i see|got it|fine|good|great|thanks|thank you)$/u
const stopWord =
  /\b(?:stop|wait|hold on|hang on|excuse me|one moment|just a (?:moment|second|minute)|no no|actually)\b/u

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}' -]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim()

/** "Mm-hm", "yes, okay": heard, and no turn while the agent speaks. */
export const isAcknowledgement = (text: string): boolean => {
  const words = plain(text)
  return words !== "" && (acknowledgement.test(words) || words.split(" ").every((word) => acknowledgement.test(word)))
}

/** Two words that are no acknowledgement, or one that demands silence: the caller takes the floor. */
export const takesFloor = (text: string): boolean =>
  stopWord.test(plain(text)) || (plain(text).includes(" ") && !isAcknowledgement(text))
