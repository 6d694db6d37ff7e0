/** get_current_time: in the account's time zone, or in one that is asked for. */
import { DateTime, Effect, Option } from "effect"
import { textIn } from "../../JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

export const getCurrentTime: BuiltIn = (args, { config, time_zone }) =>
  Effect.flatMap(DateTime.now, (now) => {
    const name = textIn(args, "time_zone", "timezone") ?? textIn(config, "time_zone") ?? time_zone
    const zone = Option.getOrUndefined(DateTime.zoneMakeNamed(name))
    if (zone === undefined) {
      return new ToolFailed({ code: "unknown_time_zone", reason: `${name} is no IANA time zone such as Europe/Berlin` })
    }
    const local = DateTime.setZone(now, zone)
    return Effect.succeed({
      now: DateTime.formatIso(now),
      time_zone: name,
      local: DateTime.formatIsoOffset(local),
      spoken: DateTime.format(local, {
        locale: "en-US",
        timeZone: name,
        weekday: "long",
        month: "long",
        day: "numeric",
        hour: "numeric",
        minute: "2-digit",
      }),
    })
  })
