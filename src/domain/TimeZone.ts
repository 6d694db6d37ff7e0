/** A time zone by its IANA name, as the runtime's own zone data knows it. */
import { DateTime, Option, Schema } from "effect"

export const TimeZone = Schema.String.check(
  Schema.makeFilter(
    (name) =>
      (/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/u.test(name) && Option.isSome(DateTime.zoneMakeNamed(name))) ||
      "must be an IANA time zone, such as Europe/Berlin",
  ),
)
  .pipe(Schema.brand("TimeZone"))
  .annotate({ description: "IANA time zone name.", examples: ["Europe/Berlin" as never] })
export type TimeZone = typeof TimeZone.Type
