/** get_current_time: in the account's time zone, or in a requested one. */
import { DateTime, Effect, Option } from "effect"
import { textIn } from "../../domain/JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

/**
 * Formats a date whose UTC fields are the zone's local time: one format for all zones, since making one takes 0.4 ms.
 */
const spoken = new Intl.DateTimeFormat("en-US", {
  timeZone: "UTC",
  weekday: "long",
  month: "long",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
})

export const getCurrentTime: BuiltIn = (args, { config, time_zone }) =>
  Effect.flatMap(DateTime.now, (now) => {
    const name = textIn(args, "time_zone", "timezone") ?? textIn(config, "time_zone") ?? time_zone
    const zone = Option.getOrUndefined(DateTime.zoneMakeNamed(name))
    if (zone === undefined) {
      return new ToolFailed({
        code: "unknown_time_zone",
        reason: `${name} is not an IANA time zone such as Europe/Berlin`,
      })
    }
    const local = DateTime.setZone(now, zone)
    return Effect.succeed({
      now: DateTime.formatIso(now),
      time_zone: name,
      local: DateTime.formatIsoOffset(local),
      spoken: spoken.format(DateTime.toDate(local)),
    })
  })
