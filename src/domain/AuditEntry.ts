/** One entry of an audit log: who did what to which object, when and from where (decision 0051). */
import { Schema } from "effect"
import { type AuditAction as Action, auditActions, type AuditKind as Kind, auditKinds } from "./AuditActions.ts"
import { timestamp } from "./Timestamp.ts"

export const AuditAction = Schema.Literals(auditActions).annotate({
  description: "What was done, as the kind of the object and a verb.",
})
export const AuditKind = Schema.Literals(auditKinds).annotate({ description: "The kind of the object." })

/** The actor, with its names as they were at that time: a renamed key or person keeps its old name in old entries. */
export const AuditActor = Schema.Struct({
  type: Schema.Literals(["person", "api_key", "command_line"]).annotate({
    description: "`command_line` is the `parley` command on the server.",
  }),
  id: Schema.NullOr(Schema.String).annotate({
    description: "The `sub` of the person's token, or the API key's UUID. Null for the command line.",
  }),
  issuer: Schema.NullOr(Schema.String).annotate({
    description: "The `iss` of the person's token. Null for others.",
  }),
  name: Schema.NullOr(Schema.String).annotate({
    description:
      "The person's email, the key's name, or the user of the operating system, at that time. Null if there was none.",
  }),
}).annotate({ identifier: "AuditActor", description: "The person or program that did it." })
export type AuditActor = typeof AuditActor.Type

export const AuditChange = Schema.Struct({
  field: Schema.String.annotate({ description: "The name of the field." }),
  before: Schema.optionalKey(Schema.Json).annotate({
    description: "The value before. Omitted if it is secret, personal or long, and if there was none.",
  }),
  after: Schema.optionalKey(Schema.Json).annotate({
    description: "The value after. Omitted if it is secret, personal or long, and if there is none.",
  }),
}).annotate({ identifier: "AuditChange", description: "One field that changed." })
export type AuditChange = typeof AuditChange.Type

export const AuditEntry = Schema.Struct({
  id: Schema.String.annotate({ description: "The entry's UUID." }),
  at: timestamp("When it was done, by the clock of the database."),
  actor: AuditActor,
  address: Schema.NullOr(Schema.String).annotate({
    description: "The address that the request came from. Null for the command line.",
  }),
  request_id: Schema.NullOr(Schema.String).annotate({
    description: "The `X-Request-ID` of the request, as in the process's log. Null for the command line.",
  }),
  action: AuditAction,
  object: Schema.Struct({
    kind: AuditKind,
    id: Schema.NullOr(Schema.String).annotate({
      description:
        "The object's id. For an account its slug, for a member the email or `issuer#subject`, and for a called person's number a keyed digest, which `?phone_number=` finds.",
    }),
    name: Schema.NullOr(Schema.String).annotate({
      description: "The object's name at that time. Null if it has none.",
    }),
  }).annotate({ description: "What it was done to." }),
  changes: Schema.Array(AuditChange).annotate({
    description: "The fields that changed. Empty for actions that change no fields, such as a download.",
  }),
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type

/** An entry of the installation's own log also names the account. */
export const PlatformAuditEntry = Schema.Struct({
  ...AuditEntry.fields,
  account: Schema.NullOr(Schema.String).annotate({
    description: "The slug of the account that it was done to. Null if it concerned all accounts.",
  }),
}).annotate({ identifier: "PlatformAuditEntry" })
export type PlatformAuditEntry = typeof PlatformAuditEntry.Type

/** A part of a log, newest first. */
export const AuditPage = <Entry extends Schema.Top>(entry: Entry) =>
  Schema.Struct({
    items: Schema.Array(entry).annotate({ description: "Entries, newest first." }),
    next_before: Schema.NullOr(Schema.String).annotate({
      description: "Send it as `before` to read on. Null at the end of the log.",
    }),
  })

export interface AuditFilter {
  readonly actor?: string
  readonly action?: Action
  readonly kind?: Kind
  readonly object_id?: string
  readonly phone_number?: string
  readonly from?: Date
  readonly to?: Date
}

export interface AuditRequest extends AuditFilter {
  /** The id of the entry after which to read on, towards older ones. */
  readonly before?: string
  readonly limit: number
}
