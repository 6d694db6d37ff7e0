/** A supervisor's instruction to the agent, which the caller does not hear. Pure. */
import type { Whispered } from "../domain/Whisper.ts"
import { emit } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

/** A supervisor's instruction is for the next reply: the present one was decided without it. */
export const onWhispered = (talk: Talk, { by, text }: Whispered): Talk => {
  const message = { role: "operator", text } as const
  const told: Talk =
    talk.reply === null
      ? { ...talk, history: [...talk.history, message] }
      : { ...talk, later: [...talk.later, message] }
  return emit(told, { _tag: "NoteWhisper", text, by, at_ms: talk.at })
}
