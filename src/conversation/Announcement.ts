/**
 * The telephone network announces that the call cannot be completed, after its three tones or in words alone. No person
 * was reached. The number counts as invalid only if the words say so, because the network plays the same tones when it
 * is busy. Pure.
 */
import { machineKindOf } from "../languages/MachineGreeting.ts"
import * as Answered from "./Answered.ts"
import * as Replies from "./Replies.ts"
import { emit } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

/** The three tones were heard: the announcement follows, and the agent keeps silent. */
export const begin = (talk: Talk): Talk => {
  if (talk.announcement_since !== null) return talk
  const noted = Answered.note(talk, "announcement", { kind: "tone", at_ms: talk.at, tone: "sit" })
  return { ...Replies.cut(noted), opened: true, announcement_since: talk.at }
}

/** Handles words of an announcement whose reason is not understood yet: the reason may follow. */
export const beginByWords = (heard: Talk): Talk => ({
  ...Replies.cut(heard),
  opened: true,
  announcement_since: heard.at,
})

/** Handles the words of the announcement. Only the reason that they give counts. */
export const onUtterance = (talk: Talk, text: string, started_ms: number): Talk =>
  machineKindOf(text) === "out_of_service"
    ? endOutOfService(Answered.noteWords(talk, "out_of_service", started_ms))
    : talk

/** The announcement is over, and did not say that there is no such number. */
export const end = (talk: Talk): Talk => endAs(talk, "no_answer")

/** The words say that there is no such number. */
export const endOutOfService = (talk: Talk): Talk => endAs(talk, "invalid_number")

const endAs = (talk: Talk, outcome: "no_answer" | "invalid_number"): Talk =>
  Replies.end(emit(talk, { _tag: "NoteUnreached", outcome }), "not_answered")
