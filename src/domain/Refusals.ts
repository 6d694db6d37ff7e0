/** The refusals that all resources share. A refusal of one concept is in that concept's file. */
import { Schema } from "effect"
import { timestamp } from "./Timestamp.ts"

/**
 * One fault of a request, and where it is: a JSON pointer into the body, or such as `/query/page` or
 * `/headers/if-match`.
 */
export const Issue = Schema.Struct({
  pointer: Schema.String.annotate({
    description:
      "Where the fault is: a JSON pointer into the body, or such as `/query/page`. Empty for the whole body.",
  }),
  detail: Schema.String.annotate({ description: "What is wrong there, as the end of a sentence: `must be …`." }),
})
export type Issue = typeof Issue.Type

/** The request is well-formed, but a value in it is not allowed. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  errors: Schema.Array(Issue).annotate({ description: "Every fault." }),
}) {
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
  resource: Schema.String.annotate({ description: "The kind of resource that was looked for: a fixed term." }),
  id: Schema.String.annotate({ description: "The id or name that does not exist." }),
  agent: Schema.optionalKey(
    Schema.String.annotate({ description: "The name of the agent, if what was looked for is a part of one." }),
  ),
}) {
  override get message() {
    const { agent, id, resource } = this
    if (agent === undefined) return `This account has no ${resource} ${id}`
    return `The agent ${agent} has no ${resource.slice(0, -ofAnAgent.length)} ${id}`
  }
}

const ofAnAgent = " of an agent"

/** `part`: such as `tool`. A program compares the `resource`, so the agent's name is not in it. */
export const notFoundInAgent = (part: string, agent: { readonly name: string }, id: string) =>
  new NotFound({ resource: `${part}${ofAnAgent}`, agent: agent.name, id })

/** An id or a name in the body does not exist: a 404 with a pointer (decisions §2). */
export class UnknownReference extends Schema.TaggedError<UnknownReference>()("UnknownReference", {
  errors: Schema.Array(Issue).annotate({ description: "The fields that refer to something unknown." }),
}) {
  override get message() {
    return this.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ")
  }
}
export const unknownReference = (pointer: string, resource: string, id: string) =>
  new UnknownReference({ errors: [{ pointer, detail: `refers to an unknown ${resource} of this account: ${id}` }] })

export class NameTaken extends Schema.TaggedError<NameTaken>()("NameTaken", {
  resource: Schema.String.annotate({ description: "The kind of resource that has the name." }),
  name: Schema.String.annotate({ description: "The name that is taken." }),
}) {
  override get message() {
    return `Another ${this.resource} has the name ${this.name}. Choose a different name.`
  }
}

/** The operation is not possible in the resource's state, which `state` names. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  state: Schema.String.annotate({ description: "The state that forbids the operation." }),
  detail: Schema.String.annotate({ description: "Why the operation is not possible, as a sentence for people." }),
}) {
  override get message() {
    return this.detail
  }
}

/** The resource cannot be changed or deleted, because another one still uses it. */
export class InUse extends Schema.TaggedError<InUse>()("InUse", {
  resource: Schema.String.annotate({ description: "The kind of resource that is still used." }),
  detail: Schema.String.annotate({ description: "What uses it, as a sentence for people." }),
}) {
  override get message() {
    return this.detail
  }
}

/** A built-in cannot be deleted (spec §3). */
export class BuiltInProtected extends Schema.TaggedError<BuiltInProtected>()("BuiltInProtected", {
  resource: Schema.String.annotate({ description: "The kind of resource." }),
  name: Schema.String.annotate({ description: "The name of the built-in." }),
}) {
  override get message() {
    return `${this.name} is a built-in ${this.resource} and cannot be deleted`
  }
}

/** `If-Match` names another revision than the present one. */
export class PreconditionFailed extends Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", {
  etag: Schema.String.annotate({ description: "The present ETag of the resource." }),
}) {
  override get message() {
    return `The resource has changed since you read it: its ETag is now ${this.etag}. Read it again and repeat the change.`
  }
}

/** The input takes more time or memory than one request may have; `errors` says where it is. */
export class TooCostly extends Schema.TaggedError<TooCostly>()("TooCostly", {
  errors: Schema.Array(Issue).annotate({ description: "The values that are too costly." }),
}) {
  override get message() {
    return this.errors.map(({ pointer, detail }) => `${pointer || "The body"} ${detail}`).join("; ")
  }
}

export const tooCostly = (pointer: string, detail: string) => new TooCostly({ errors: [{ pointer, detail }] })

/** The fields of a refusal because of a limit that is used up for now. */
export const limitFields = {
  limit: Schema.Int.annotate({ description: "The maximum." }),
  used: Schema.Int.annotate({ description: "How much of the maximum is in use." }),
  resets_at: timestamp("The earliest time at which a retry may succeed."),
}

/** The account's queue for workers is full. */
export class Crowded extends Schema.TaggedError<Crowded>()("Crowded", {
  ...limitFields,
}) {
  override get message() {
    return `${this.used} costly requests of this account are already waiting. Send fewer at once, and repeat this one when the others have finished.`
  }
}
