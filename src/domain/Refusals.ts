/** The refusals that every resource shares. A refusal of one concept is in that concept's file. */
import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

/** What is wrong with a value, and where: a JSON pointer into the body, or `/query/page`, `/headers/if-match`. */
export const Issue = Schema.Struct({ pointer: Schema.String, detail: Schema.String })
export type Issue = typeof Issue.Type

/** The request is well-formed, but a value in it is not allowed. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", { errors: Schema.Array(Issue) }) {
  override get message() {
    const [first, ...others] = this.errors
    if (first === undefined) return "The request is not valid"
    const sentence = `${first.pointer || "The body"} ${first.detail}`
    if (others.length === 0) return sentence
    return `${sentence}; ${others.length === 1 ? "one more fault is" : `${others.length} more faults are`} listed under errors`
  }
}
export const invalid = (pointer: string, detail: string) => new Invalid({ errors: [{ pointer, detail }] })

/** The id in the path does not exist in this account's database (spec §7). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  resource: Schema.String,
  id: Schema.String,
}) {
  override get message() {
    return `This account has no ${this.resource} ${this.id}`
  }
}

/** An id or a name in the body does not exist: a 404 with a pointer (decisions §2). */
export class UnknownReference extends Schema.TaggedError<UnknownReference>()("UnknownReference", {
  errors: Schema.Array(Issue),
}) {
  override get message() {
    return this.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ")
  }
}
export const unknownReference = (pointer: string, resource: string, id: string) =>
  new UnknownReference({ errors: [{ pointer, detail: `refers to an unknown ${resource} of this account: ${id}` }] })

export class NameTaken extends Schema.TaggedError<NameTaken>()("NameTaken", {
  resource: Schema.String,
  name: Schema.String,
}) {
  override get message() {
    return `Another ${this.resource} has the name ${this.name}. Choose a different name.`
  }
}

/** The operation is not possible in this state; `state` names it. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  state: Schema.String,
  detail: Schema.String,
}) {
  override get message() {
    return this.detail
  }
}

/** Another resource still uses it. */
export class InUse extends Schema.TaggedError<InUse>()("InUse", { resource: Schema.String, detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** A built-in cannot be deleted (spec §3). */
export class BuiltInProtected extends Schema.TaggedError<BuiltInProtected>()("BuiltInProtected", {
  resource: Schema.String,
  name: Schema.String,
}) {
  override get message() {
    return `${this.name} is a built-in ${this.resource} and cannot be deleted`
  }
}

/** `If-Match` names another revision than the present one. */
export class PreconditionFailed extends Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", {
  etag: Schema.String,
}) {
  override get message() {
    return `The resource has changed since you read it: its ETag is now ${this.etag}. Read it again and repeat the change.`
  }
}

/** The input takes more time or memory than one request may have; `errors` says where it is. */
export class TooCostly extends Schema.TaggedError<TooCostly>()("TooCostly", { errors: Schema.Array(Issue) }) {
  override get message() {
    return this.errors.map(({ pointer, detail }) => `${pointer || "The body"} ${detail}`).join("; ")
  }
}

export const tooCostly = (pointer: string, detail: string) => new TooCostly({ errors: [{ pointer, detail }] })

/** The account's queue for workers is full. */
export class Crowded extends Schema.TaggedError<Crowded>()("Crowded", {
  limit: Schema.Int,
  used: Schema.Int,
  resets_at: Timestamp,
}) {
  override get message() {
    return `${this.used} costly requests of this account are already waiting. Send fewer at once, and repeat this one when the others have finished.`
  }
}
