/** Why a contact list as a whole is refused. It crosses Node's streams as a thrown error before it becomes an answer. */
import { Data, Schema } from "effect"

/** The file is not a valid contact list: a 400 that points at the form's `contacts`. */
export class ContactListRefused extends Data.TaggedError("ContactListRefused")<{
  readonly detail: string
  /** Further faults, one for each row. */
  readonly rows?: ReadonlyArray<string>
}> {
  override get message() {
    return this.detail
  }
}

/** The list is over 10 MB. This is detected at the first byte too many, not at the end (spec §8). */
export class ContactListTooLarge extends Schema.TaggedError<ContactListTooLarge>()("ContactListTooLarge", {
  limit_bytes: Schema.Int.annotate({ description: "The maximum length of the contact list, in bytes." }),
}) {
  override get message() {
    return `The contact list may have at most ${this.limit_bytes} bytes`
  }
}
