/** How the registration of a number at its trunk's server stands. */
import { Schema } from "effect"

export const Registered = Schema.Struct({
  /** Until when the server delivers calls; null: it refused, or did not answer. */
  until: Schema.NullOr(Schema.String),
  /** What was found and, if something is wrong, what to change. */
  detail: Schema.String,
})
export type Registered = typeof Registered.Type
