/** Forms that several answers share: a resource with its ETag, and an empty answer. */
import { Schema } from "effect"
import { etagOf } from "../domain/Revision.ts"

const etag = Schema.String.annotate({ description: "The revision, for a change that says which one it changes." })

/**
 * A resource with the ETag of the revision that was read or written: a change sent with it applies to that revision or
 * to none.
 */
export const Tagged = <Fields extends Schema.Struct.Fields>({ fields }: Schema.Struct<Fields>) =>
  Schema.Struct({ ...fields, etag })

export const withEtag = <A extends object>({ revision, ...resource }: A & { readonly revision: number }) => ({
  ...(resource as Omit<A, "revision">),
  etag: etagOf(revision),
})

/** Success without a result. */
export const Nothing = Schema.Void
