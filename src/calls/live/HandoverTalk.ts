/** The announcement to the person who is to take a call over, until a key or another event decides. */
import { Effect } from "effect"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type * as Mailbox from "../../conversation/Mailbox.ts"
import type { HandoverEvent } from "../../domain/Handover.ts"
import { languageOf } from "../../languages/Languages.ts"
import { type MachineKind, machineKindOf } from "../../languages/MachineGreeting.ts"
import type { Line, LineEvent } from "../../telephony/Telephony.ts"

/** The key that takes the call. */
const takingKey = "1"
/** How long the person may think after the announcement, in milliseconds. It is repeated in the middle. */
const patienceMs = 20_000
const againAfterMs = 9_000
/** The time limit for the person to hear the announcement to its end. */
const longestAnnouncementMs = 45_000
/** The most characters of the agent's reason in the announcement. */
const longestReason = 300

/**
 * The announcement in the agent's language, with the agent's reason and, if the call is recorded, a sentence that says
 * so.
 */
export const announcementOf = (language: string, reason: string, isRecorded: boolean): string => {
  const text = reason.replaceAll(/\s+/gu, " ").trim().slice(0, longestReason)
  const sentence = text === "" || /[.!?…]$/u.test(text) ? text : `${text}.`
  const { handover, recorded } = languageOf(language).sentences
  const about = isRecorded ? `${sentence} ${recorded}` : sentence
  return handover.replace("{reason}", () => about).replaceAll(/ {2,}/g, " ")
}

export type Events = Mailbox.Mailbox<LineEvent>

/**
 * The machines that end the attempt. Menus and call screening do not: they may still lead to the person, and our own
 * announcement sounds like a menu.
 */
const machines: ReadonlySet<MachineKind | null> = new Set(["voicemail", "full_mailbox", "out_of_service"])

const eventIn = (event: LineEvent): HandoverEvent | null => {
  switch (event._tag) {
    case "Key":
      return event.digit === takingKey ? "taken" : "declined"
    case "Gone":
      return "target_gone"
    case "Utterance":
      return machines.has(machineKindOf(event.text)) ? "machine" : null
    case "Beep":
    case "Tone":
      return "machine"
    default:
      return null
  }
}

/** Announces the call and returns the event that decided about it. */
export const announce = Effect.fnUntraced(function* (line: Line, events: Events, text: string, record: CallRecord) {
  const began = (yield* line.moment).at
  let pieces = 0
  let heard_ms: number | null = null
  const say = Effect.suspend(() => line.play({ id: ++pieces, text, interruptible: false }))
  yield* say
  while (true) {
    const { at } = yield* line.moment
    const due: number = heard_ms === null ? began + longestAnnouncementMs : heard_ms + patienceMs
    const again: number = heard_ms === null || pieces > 1 ? Number.POSITIVE_INFINITY : heard_ms + againAfterMs
    if (at >= due) return "timed_out"
    if (at >= again) {
      yield* say
      continue
    }
    const event: LineEvent | null | "overflow" = yield* events.take(Math.min(due, again) - at)
    if (event === null) continue
    if (event === "overflow") return "timed_out"
    if (event._tag === "Played" && heard_ms === null) {
      heard_ms = event.ended_ms
      const { ended_ms, started_ms } = event
      record.spoke("agent", {
        text,
        started_ms,
        ended_ms,
        at: new Date((record.answered_at?.getTime() ?? 0) + started_ms),
      })
    }
    const decided = eventIn(event)
    if (decided !== null) return decided
  }
})

export type Utterance = Extract<LineEvent, { readonly _tag: "Utterance" }>

/** Waits until the person is gone, and passes on the person's utterances. */
export const awaitGone = Effect.fnUntraced(function* (events: Events, hear: (utterance: Utterance) => void) {
  while (true) {
    const event = yield* events.take(60_000)
    if (event === "overflow" || event?._tag === "Gone") return
    if (event?._tag === "Utterance") hear(event)
  }
})
