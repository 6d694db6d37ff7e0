/** Records what took the call. Every sign is noted with its evidence, and the last verdict counts. Pure. */
import type { AnsweredByEvidence, AnsweredByVerdict } from "../domain/AnsweredBy.ts"
import type { MachineKind } from "../languages/MachineGreeting.ts"
import { emit } from "./Talk.ts"
import type { Talk } from "./Talk.ts"

const verdicts: Readonly<Record<MachineKind, AnsweredByVerdict>> = {
  voicemail: "voicemail",
  full_mailbox: "mailbox_full",
  screening: "screening",
  menu: "ivr",
  out_of_service: "announcement",
  announcement: "announcement",
}

export const note = (talk: Talk, verdict: AnsweredByVerdict, evidence: AnsweredByEvidence): Talk =>
  emit({ ...talk, answered_by: verdict }, { _tag: "NoteAnsweredBy", verdict, evidence })

/** Notes that the words that began at `started_ms` are a machine's, or a person's if `kind` is null. */
export const noteWords = (talk: Talk, kind: MachineKind | null, started_ms: number): Talk =>
  note(talk, kind === null ? "person" : verdicts[kind], { kind: "words", at_ms: talk.at, started_ms })
