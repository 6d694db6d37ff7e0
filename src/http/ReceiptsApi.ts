/** The documented endpoints of the receipts of dials (decision 0082). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ReceiptHead } from "../domain/Receipt.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"

export class ReceiptsApi extends HttpApiGroup.make("receipts")
  .add(
    HttpApiEndpoint.get("head", "/api/v1/receipts/head", { success: ReceiptHead })
      .annotate(OpenApi.Summary, "Get the head of the receipts")
      .annotate(
        OpenApi.Description,
        "Returns the last seal of the account's chain of receipts. Each dial of a campaign gets a receipt, usually within 10 seconds. Keep the hash where Parley's operators cannot write: `parley receipts verify --head HASH` then finds a chain that was rewritten.",
      ),
  )
  .annotate(OpenApi.Title, "Receipts")
  .annotate(OpenApi.Description, "Why each number was dialled, in a chain of hashes.")
  .pipe(addAccountMiddleware) {}

export class ReceiptExportApi extends HttpApiGroup.make("receipt-export")
  .add(
    HttpApiEndpoint.get("file", "/api/v1/receipts.jsonl", {
      query: {
        from: Schema.optionalKey(TimestampInput).annotate({
          description: "Only seals with calls from this moment on.",
        }),
        to: Schema.optionalKey(TimestampInput).annotate({ description: "Only seals with calls up to this moment." }),
      },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/jsonl; charset=utf-8" }),
    })
      .annotate(OpenApi.Summary, "Export the receipts")
      .annotate(
        OpenApi.Description,
        "Returns the chain of receipts as JSON lines, with the phone numbers and the rule packs. `parley receipts verify FILE` checks it without a server: every hash, and every decision by a replay. The decisions of deleted calls are left out, and their hashes are kept.",
      ),
  )
  .annotate(OpenApi.Title, "Receipts")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}
