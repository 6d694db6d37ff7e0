/** An export as CSV, which is streamed and leaves an entry in the audit log. */
import { Effect, type Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { ReleaseTenant } from "./Authentication.ts"
import { whileAdmitted } from "./Download.ts"

/** The stream borrows the account's database for each page, so the request's own loan ends here. */
export const answerCsv = Effect.fnUntraced(function* (name: string, bytes: Stream.Stream<Uint8Array>) {
  yield* Effect.orDie(AuditTrail.write())
  yield* yield* ReleaseTenant
  return HttpServerResponse.stream(yield* whileAdmitted(bytes), {
    contentType: "text/csv; charset=utf-8",
    headers: { "content-disposition": `attachment; filename="${name}"` },
  })
})
