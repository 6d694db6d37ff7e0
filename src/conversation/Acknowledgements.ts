/**
 * Words that mean "I am listening" and never interrupt, and words that demand silence and always do, in the language of
 * the talk.
 */
import { forEachLanguage } from "../languages/Languages.ts"
import { countWords, makeExactRecogniser, makeRecogniser } from "../languages/Phrases.ts"

const acknowledgementsIn = forEachLanguage(({ acknowledgements }) => makeExactRecogniser(acknowledgements))
const stopsIn = forEachLanguage(({ stops }) => makeRecogniser(stops))

/** "Mm-hm", "yes, okay": heard, and no turn while the agent speaks. */
export const isAcknowledgement = (text: string, language: string): boolean => acknowledgementsIn(language)(text)

/** The caller takes the floor with two words that are not acknowledgements, or with one that demands silence. */
export const takesFloor = (text: string, language: string): boolean =>
  stopsIn(language)(text) || (countWords(text) > 1 && !isAcknowledgement(text, language))
