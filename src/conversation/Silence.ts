/** Breaks a silence of both sides: the agent asks whether the caller is still there, and in the end says goodbye. Pure. */
import * as Replies from "./Replies.ts"
import { sentencesOf } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

export const onSilence = (talk: Talk): Talk => {
  const { silenceGoodbye, stillThere } = sentencesOf(talk)
  const prompt = stillThere[talk.silences]
  const counted: Talk = { ...talk, silences: talk.silences + 1 }
  return prompt === undefined
    ? Replies.say(counted, silenceGoodbye, {
        started_by: "silence",
        afterwards: { _tag: "End", reason: "silence", reopens: true },
      })
    : Replies.say(counted, prompt, { started_by: "silence" })
}
