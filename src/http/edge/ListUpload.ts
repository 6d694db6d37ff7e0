/** A form with a list of numbers: received completely before work on it begins. */
import { Effect } from "effect"
import { ListTooLarge } from "../../campaigns/ListRefused.ts"
import { ReleaseTenant } from "./Authentication.ts"
import * as Multipart from "./Multipart.ts"
import { asProblem } from "./Problem.ts"
import * as Spool from "./Spool.ts"

export const listTooLarge = ListTooLarge.pipe(
  asProblem({ status: 413, code: "body_too_large", title: "List too large" }),
)

export const make = Effect.map(Spool.make, (receive) =>
  Effect.fn("ListUpload.receive")(function* (expected: Multipart.FormFields, mostBytes: number) {
    // The import has a connection of its own: a slow client holds none.
    yield* yield* ReleaseTenant
    const form = yield* Multipart.receive(expected)
    const file = yield* receive(form.file, mostBytes)
    // Other fields may come behind the file.
    const fingerprint = yield* form.fingerprint
    return { file, fields: form.fields, fingerprint }
  }),
)
