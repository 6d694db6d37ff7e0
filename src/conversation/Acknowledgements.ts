/**
 * Recognises, in the language of the talk, words that mean "I am listening", which never interrupt the agent, and words
 * that demand silence, which always do.
 */
import { forEachLanguage } from "../languages/Languages.ts"
import { countWords, makeExactRecogniser, makeRecogniser } from "../languages/Phrases.ts"

const acknowledgementsIn = forEachLanguage(({ acknowledgements }) => makeExactRecogniser(acknowledgements))
const stopsIn = forEachLanguage(({ stops }) => makeRecogniser(stops))

/**
 * Whether the text is only an acknowledgement, such as "mm-hm" or "yes, okay". While the agent speaks, it is not a
 * turn.
 */
export const isAcknowledgement = (text: string, language: string): boolean => acknowledgementsIn(language)(text)

/** Whether the words take the floor: two or more that are not an acknowledgement, or one that demands silence. */
export const takesFloor = (text: string, language: string): boolean =>
  stopsIn(language)(text) || (countWords(text) > 1 && !isAcknowledgement(text, language))
