/**
 * Telnyx's webhooks, read as reports on a call. https://developers.telnyx.com/docs/voice/programmable-voice/voice-
 * api-webhooks
 */
import { Option, Predicate, Schema } from "effect"
import { type CarrierReport, type CarrierStatus, reportOf } from "../../domain/CarrierReport.ts"
import type { News, Words } from "../CarrierCalls.ts"
import type { LineEvent } from "../Telephony.ts"
import { markIn } from "./TelnyxUrls.ts"

const Body = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({
      event_type: Schema.String,
      occurred_at: Schema.optionalKey(Schema.Unknown),
      payload: Schema.Record(Schema.String, Schema.Unknown),
    }),
  }),
)
export type TelnyxEvent = (typeof Body.Type)["data"]

const decodeBody = Schema.decodeUnknownOption(Body)

/** Null: the text is not a Telnyx webhook. */
export const readEvent = (body: string): TelnyxEvent | null => Option.getOrNull(decodeBody(body))?.data ?? null

/** Returns a field of the payload without null characters, which PostgreSQL cannot store. Empty if it is not a text. */
export const fieldIn = ({ payload }: TelnyxEvent, name: string): string => {
  const value = Predicate.hasProperty(payload, name) ? payload[name] : undefined
  return typeof value === "string" ? value.replaceAll("\0", "") : ""
}

/** Returns Telnyx's id of the call; null if it is not safe as a part of a path. */
export const sidIn = (event: TelnyxEvent): string | null => {
  const text = fieldIn(event, "call_control_id")
  return /^[\w:.=-]{1,250}$/.test(text) ? text : null
}

/** Null for anything but the text of a time. */
export const momentOf = (text: unknown): Date | null => {
  const at = typeof text === "string" ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : new Date(at)
}

/** The mark of Telnyx's report whether a machine answered. */
const machineMark = "machine"
/** The mark of the end of a machine's greeting. */
const greetingMark = "greeting"
/** The prefix of a mark that names a stream that could not be opened. */
const failedStream = "f:"
/** The suffix of a transfer's mark once the caller and the target are connected. */
const bridged = ".b"

/** The most characters that are kept of a text. */
const longestText = 100

/** Telnyx does not number its reports. They get 0, so that they rank above a look-up, which has -1. */
const report = (status: CarrierStatus, known: Parameters<typeof reportOf>[1] = {}): CarrierReport =>
  reportOf(status, { sequence: 0, ...known })

/** A report that says nothing about the call's state. */
const silent = reportOf("queued")

/** Causes of an end without an answer, with the SIP status to assume where Telnyx gives none. */
const unanswered: Record<string, readonly [status: CarrierStatus, sip: number]> = {
  originator_cancel: ["canceled", 487],
  timeout: ["no-answer", 487],
  no_answer: ["no-answer", 480],
  user_busy: ["busy", 486],
  // The SIP status says whether a person or a network rejected the call.
  call_rejected: ["failed", 603],
  not_found: ["failed", 404],
}

const endIn = (event: TelnyxEvent): CarrierReport => {
  const cause = fieldIn(event, "hangup_cause")
  const text = fieldIn(event, "sip_hangup_cause")
  const sip = /^\d{3}$/.test(text) ? Number(text) : null
  const known = Object.hasOwn(unanswered, cause) ? unanswered[cause] : undefined
  if (known !== undefined) return report(known[0], { sip_code: sip ?? known[1] })
  if (cause !== "normal_clearing" && cause !== "time_limit") return report("failed", { sip_code: sip })
  if (sip === 200) return report("completed", { sip_code: sip })
  // Telnyx gives no SIP status for incoming calls. Another report says whether they were answered.
  return report(sip === null ? "ended" : "failed", { sip_code: sip })
}

const newsOfTransfer = ({ event_type, ...rest }: TelnyxEvent, mark: string, at: number): News | null => {
  const words = (mark: string, text: string): News => ({ sid: null, report: silent, words: { mark, text, at } })
  if (event_type === "call.answered" || event_type === "call.bridged") return words(`${mark}${bridged}`, "bridged")
  if (event_type !== "call.hangup") return null
  return words(mark, fieldIn({ event_type, ...rest }, "hangup_cause").slice(0, longestText))
}

/** Reads a webhook's news on its call; null if there is nothing to store. `at` is now, in milliseconds. */
export const newsIn = (event: TelnyxEvent, at: number): News | null => {
  const sid = sidIn(event)
  if (sid === null) return null
  const transfer = markIn(fieldIn(event, "client_state"))
  if (transfer !== null) return newsOfTransfer(event, transfer, at)
  const words = (mark: string, name: string): News => {
    const text = fieldIn(event, name).slice(0, longestText)
    return { sid, report: silent, words: { mark, text, at } }
  }
  switch (event.event_type) {
    // Telnyx does not report that the phone rings.
    case "call.initiated":
      return { sid, report: report("ringing") }
    case "call.answered":
      return { sid, report: report("in-progress", { answered_at: momentOf(event.occurred_at) ?? new Date(at) }) }
    case "call.hangup":
      return { sid, report: endIn(event) }
    case "call.machine.detection.ended":
    case "call.machine.premium.detection.ended":
      return words(machineMark, "result")
    case "call.machine.greeting.ended":
    case "call.machine.premium.greeting.ended":
      return words(greetingMark, "result")
    case "streaming.failed":
      return words(`${failedStream}${fieldIn(event, "stream_id").slice(0, longestText)}`, "failure_reason")
    default:
      return null
  }
}

/** The tone at the end of a machine's greeting; null if the words say something else. */
export const beepIn = ({ mark, text }: Words): LineEvent | null =>
  mark === greetingMark && text === "beep_detected" ? { _tag: "Beep", said: text } : null

/** How many streams of the call could not be opened. */
export const failedStreamsIn = (words: ReadonlyArray<Words>): number =>
  words.filter(({ mark }) => mark.startsWith(failedStream)).length

/** The highest number of a transfer that Telnyx has reported on; 0 if there was none. */
export const transfersIn = (words: ReadonlyArray<Words>): number =>
  Math.max(0, ...words.map(({ mark }) => Number(/^t(\d+)/.exec(mark)?.[1] ?? 0)))

/** How a transfer ended; undefined while the target's phone rings. */
export const transferIn = (words: ReadonlyArray<Words>, mark: string): "bridged" | "failed" | undefined => {
  if (words.some((one) => one.mark === `${mark}${bridged}`)) return "bridged"
  return words.some((one) => one.mark === mark) ? "failed" : undefined
}
