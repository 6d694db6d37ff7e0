/** Listening to a call while it is in progress: the record of it, and why it is refused. Pure. */
import { Schema } from "effect"
import { VersionAuthor } from "./AgentVersion.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"

export const CallListener = Schema.Struct({
  listener: VersionAuthor,
  started_at: timestamp("When listening began."),
  ended_at: Schema.NullOr(Timestamp).annotate({
    description:
      "Null while it goes on. If the process that the listener was connected to failed meanwhile, it is the end of the call.",
  }),
}).annotate({
  identifier: "CallListener",
  description: "A member or an API key that listened to the call while it was in progress.",
})
export type CallListener = typeof CallListener.Type

/** The call is in progress, but another process of this installation conducts it and did not answer. */
export class CallElsewhere extends Schema.TaggedError<CallElsewhere>()("CallElsewhere", {
  id: Schema.String.annotate({ description: "The call's UUID." }),
}) {
  override get message() {
    return `Another process of this installation conducts the call ${this.id}, and cannot be reached from here at the moment. Repeat the request.`
  }
}
