/**
 * A long-lived key for programs, bound to one account (decisions §2 and §3). Its text is shown once and stored as a
 * hash.
 */
import { Schema } from "effect"
import { Name } from "./Name.ts"
import { Scope } from "./Principal.ts"
import { CreatedAt, Timestamp } from "./Timestamp.ts"

export const ApiKeyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const Scopes = Schema.Array(Scope)
  .check(Schema.isMinLength(1), Schema.isMaxLength(4), Schema.isUnique())
  .annotate({
    description: "The kinds of operation that the key permits. Each has to be listed: none includes another.",
  })

export const ApiKey = Schema.Struct({
  id: ApiKeyId.annotate({ description: "The key's UUID, for deleting it. It is not secret." }),
  key_id: Schema.String.annotate({
    description: "The public part of the key, as in `pak_<key_id>_…`. It lets people recognise a key.",
  }),
  name: Name.annotate({ description: "What the key is for, as a note for people." }),
  scopes: Scopes,
  expires_at: Schema.NullOr(Timestamp).annotate({ description: "When the key expires. Null if it never does." }),
  last_used_at: Schema.NullOr(Timestamp).annotate({
    description: "When the key was last used, accurate to a minute. Null if it was never used.",
  }),
  created_at: CreatedAt,
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** The answer to the creation of a key: the only answer that contains its text. */
export const ApiKeyWithText = Schema.Struct({
  ...ApiKey.fields,
  key: Schema.String.annotate({
    description: "The key itself. It is shown only in this answer; Parley stores a hash.",
  }),
}).annotate({ identifier: "ApiKeyWithText" })

/** Fields that a client may send back; they are ignored. */
export const apiKeyReadOnly = ["id", "key_id", "last_used_at", "created_at"] as const
