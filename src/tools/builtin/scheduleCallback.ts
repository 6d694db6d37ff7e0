/**
 * schedule_callback: the campaign of the call dials the person again at the requested time. Without a campaign the wish
 * is only recorded in the call's result, and so is the wish to be called by a colleague of the agent.
 */
import { DateTime, Effect, Option } from "effect"
import * as Callbacks from "../../catalog/Callbacks.ts"
import { zonesOfContact } from "../../catalog/NumberZones.ts"
import { callbackDays, type CallbackRefusal } from "../../domain/Callback.ts"
import { textIn } from "../../domain/JsonValue.ts"
import { isDate } from "../../domain/Timestamp.ts"
import { clockText } from "../../domain/ZoneClock.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

export const scheduleCallback: BuiltIn = Effect.fnUntraced(function* (args, context) {
  const { call_id, controls, phone_number, time_zone, variables } = context
  const at = textIn(args, "at") ?? ""
  const zones = phone_number === null ? [] : zonesOfContact(phone_number, variables)
  const requested = yield* momentOf(at, zones.length === 0 ? [time_zone] : zones)
  if (DateTime.isLessThanOrEqualTo(requested, yield* DateTime.now)) return yield* fail("in_the_past", at)
  const isForColleague = textIn(args, "by") === "colleague"
  const decision =
    call_id === null || isForColleague
      ? noCampaign
      : yield* Callbacks.arrange(call_id, new Date(DateTime.toEpochMillis(requested)))
  if (decision._tag === "Refused") return yield* fail(decision.reason, at)
  const note = textIn(args, "note")
  const moment = decision._tag === "Agreed" ? decision.at : new Date(DateTime.toEpochMillis(requested))
  const callback = {
    at: moment.toISOString(),
    ...(isForColleague ? { by: "colleague" } : {}),
    ...(note === undefined ? {} : { note }),
  }
  yield* controls.noteCallback(callback)
  if (decision._tag === "NoCampaign") return { status: "noted", callback, message: notDialled }
  const isMoved = moment.getTime() !== DateTime.toEpochMillis(requested)
  const zone = zones.length === 1 ? (zones[0] ?? time_zone) : time_zone
  const local = { local_time: clockText(zone, moment), time_zone: zone }
  return isMoved ? { status: "moved", callback, ...local, message: moved } : { status: "scheduled", callback, ...local }
})

const noCampaign = { _tag: "NoCampaign" } as const

const notDialled =
  "The wish is noted for the staff. You do not make this call, so promise no exact time: say that the wish is passed on"
const moved =
  "Calls are not permitted at the requested time. The call comes at callback.at, which is the next permitted time: tell the caller that time, and ask for another one if it does not suit"

const reasons: Record<CallbackRefusal, (at: string) => string> = {
  in_the_past: (at) => `${at} is in the past; ask for another time`,
  too_far_ahead: (at) => `${at} is more than ${callbackDays} days ahead; ask for an earlier time`,
  do_not_call: () => "The number is on the do-not-call list, so it is not called again. Promise no call",
  callbacks_used_up: () => "The caller was called back as often as this campaign permits. Promise no further call",
  outside_window: () => "The campaign's calling hours never permit a call to this number. Promise no call",
}

const fail = (code: CallbackRefusal, at: string) => new ToolFailed({ code, reason: reasons[code](at) })

/** A toll-free number may be in any of forty zones. */
const candidatesNamed = 8

const written = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<offset>[Zz]|[+-]\d{2}:?\d{2})?$/u

/**
 * Parses a time. Without an offset it is local time in `zones`, where the called party may be. Fails if the text is not a time, or if it means different moments in these zones.
 */
const momentOf = Effect.fnUntraced(function* (text: string, zones: ReadonlyArray<string>) {
  const found = written.exec(text)
  const hasOffset = found?.groups?.["offset"] !== undefined
  const inZone = (timeZone: string) => DateTime.makeZoned(`${text}Z`, { timeZone, adjustForTimeZone: true })
  const readings =
    found === null || !isDate(text.slice(0, 10)) ? [] : hasOffset ? [DateTime.make(text)] : zones.map(inZone)
  const [first, ...others] = readings.flatMap((reading) => Option.toArray(Option.map(reading, DateTime.toUtc)))
  if (first === undefined) {
    const reason = "at must be a time such as 2026-11-22T17:00 or 2026-11-22T17:00:00+01:00"
    return yield* new ToolFailed({ code: "invalid_time", reason })
  }
  if (others.some((other) => !DateTime.Equivalence(first, other))) {
    const reason = `The caller may be in any of these time zones: ${zones.slice(0, candidatesNamed).join(", ")}. Ask which one is meant, and give ${text} with its offset`
    return yield* new ToolFailed({ code: "ambiguous_time_zone", reason })
  }
  return first
})
