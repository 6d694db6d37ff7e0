/**
 * A line that begins in the middle of its call, because another process conducted the call before. Its times count from
 * the answer, like those of every line.
 */
import { Effect } from "effect"
import type { Line, LineEvent } from "./Telephony.ts"

/** `since_ms`: milliseconds from the answer until the line began. */
export const make = (line: Line, since_ms: number): Line => ({
  ...line,
  moment: Effect.map(line.moment, ({ at, playing }) => ({
    at: at + since_ms,
    playing: playing === null ? null : { ...playing, started_ms: playing.started_ms + since_ms },
  })),
  attach: (listener) => line.attach((event) => listener(later(event, since_ms))),
})

const later = (event: LineEvent, by: number): LineEvent => {
  switch (event._tag) {
    case "SpeechStarted":
    case "SpeechEnded":
    case "Silenced":
      return { ...event, at: event.at + by }
    case "Utterance":
    case "Played":
      return { ...event, started_ms: event.started_ms + by, ended_ms: event.ended_ms + by }
    case "Voiced":
      return { ...event, audio_ms: event.audio_ms + by, frame_ms: event.frame_ms + by }
    default:
      return event
  }
}
