/** What answers have in common: a resource with its ETag, and nothing at all. */
import { Schema } from "effect"
import { etagOf } from "../domain/Revision.ts"

const etag = Schema.String.annotate({ description: "The revision, for a change that says which one it changes." })

/** A resource as it was read or written, with its ETag: what is sent back with it changes that revision or nothing. */
export const Tagged = <Fields extends Schema.Struct.Fields>({ fields }: Schema.Struct<Fields>) =>
  Schema.Struct({ ...fields, etag })

export const withEtag = <A extends object>({ revision, ...resource }: A & { readonly revision: number }) => ({
  ...(resource as Omit<A, "revision">),
  etag: etagOf(revision),
})

/** It was done, and there is nothing to tell. */
export const Nothing = Schema.Void
