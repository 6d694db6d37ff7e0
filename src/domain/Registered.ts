/** The state of a number's registration at its trunk's server. */
import { Schema } from "effect"

export const Registered = Schema.Struct({
  /** Until when the server delivers calls; null if it refused the registration or did not answer. */
  until: Schema.NullOr(Schema.String),
  /** What was found and, if something is wrong, what to change. */
  detail: Schema.String,
})
export type Registered = typeof Registered.Type
