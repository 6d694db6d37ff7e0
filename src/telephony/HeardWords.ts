/** A recogniser's result as a line's event. */
import type { Transcript } from "../speech/SpeechToText.ts"
import type { LineEvent } from "./Telephony.ts"

export type WordsEvent = Extract<LineEvent, { readonly _tag: "Words" | "Utterance" | "Misheard" }>

/** Null: there were no words in it. */
export const eventFrom = (result: Transcript): WordsEvent | null => {
  if (result.text === null) return { _tag: "Misheard" }
  if (result.text === "") return null
  if (!result.final) return { _tag: "Words", text: result.text }
  const { ended_ms, started_ms, text } = result
  return { _tag: "Utterance", text, started_ms, ended_ms }
}
