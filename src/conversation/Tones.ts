/** Decides when a call is young enough for a machine, and what a machine's tones mean. Pure. */
import * as Announcement from "./Announcement.ts"
import * as Answered from "./Answered.ts"
import type { Talk } from "./Talk.ts"
import * as Voicemail from "./Voicemail.ts"

/** A machine's greeting has at most this many utterances, and the last of them begins within this time. */
const greetingUtterances = 3
const greetingMs = 12_000
/**
 * A machine's tone follows within this time after its last utterance begins. Later tones come from the caller's room.
 */
const toneMs = 30_000

/** A tone that is the only sign of a machine follows a greeting of more words than a person's "hello, who is this?". */
const fewestWordsOfGreeting = 5
/** Such a tone follows within this time after the last sound of either side. */
const toneAfterMs = 6_000

/**
 * Whether words that began at `started_ms` may be a machine's greeting. Machines pause within their greetings; people
 * hardly speak of mailboxes in their first words.
 */
export const mayBeGreeting = ({ caller, setup }: Talk, started_ms: number): boolean =>
  setup.meets_machines && caller.utterances < greetingUtterances && started_ms < greetingMs

/**
 * Whether a tone may be a machine's. A tone comes from the caller's room if it is late in the call, soon after a
 * "hello?", long after the last word, or after more sentences than a greeting has.
 */
const mayBeTone = ({ at, caller, quiet_since, setup }: Talk): boolean => {
  if (!setup.meets_machines || at >= greetingMs + toneMs || caller.utterances > greetingUtterances) return false
  return caller.utterances === 0 || (caller.words_said >= fewestWordsOfGreeting && at - quiet_since < toneAfterMs)
}

export const onBeep = (talk: Talk, said: string | undefined): Talk => {
  if (talk.machine === null && !mayBeTone(talk)) return talk
  const evidence = said === undefined ? ({ kind: "beep" } as const) : ({ kind: "carrier", said } as const)
  return Voicemail.onMachine(Answered.note(talk, "voicemail", { ...evidence, at_ms: talk.at }), "tone")
}

export const onTone = (talk: Talk, tone: "fax" | "sit"): Talk => {
  if (talk.machine !== null || !mayBeTone(talk)) return talk
  return tone === "sit"
    ? Announcement.begin(talk)
    : Voicemail.onMachine(Answered.note(talk, "fax", { kind: "tone", tone, at_ms: talk.at }), "fax")
}
