/** An export, usually as CSV, which is streamed and leaves an entry in the audit log. */
import { Effect, type Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { ReleaseTenant } from "./Authentication.ts"
import { whileAdmitted } from "./Download.ts"

export const answerCsv = (name: string, bytes: Stream.Stream<Uint8Array>) =>
  answerFile(name, "text/csv; charset=utf-8", bytes)

/** The stream borrows the account's database for each page, so the request's own loan ends here. */
export const answerFile = Effect.fnUntraced(function* (
  name: string,
  contentType: string,
  bytes: Stream.Stream<Uint8Array>,
) {
  yield* Effect.orDie(AuditTrail.write())
  yield* yield* ReleaseTenant
  return HttpServerResponse.stream(yield* whileAdmitted(bytes), {
    contentType,
    headers: { "content-disposition": `attachment; filename="${name}"` },
  })
})
