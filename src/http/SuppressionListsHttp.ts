/** The whole do-not-call list over HTTP: handlers translate and delegate. */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as SuppressionImport from "../campaigns/SuppressionImport.ts"
import * as SuppressionsCsv from "../campaigns/SuppressionsCsv.ts"
import { faultsOf } from "../domain/Faults.ts"
import { Invalid } from "../domain/Refusals.ts"
import type { SuppressionReport } from "../domain/SuppressionReport.ts"
import { Copy } from "../tenancy/Copy.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { keepOpen } from "../tenancy/OpenTransaction.ts"
import * as Pages from "../tenancy/Pages.ts"
import { Api } from "./Api.ts"
import { answerCsv } from "./edge/AnswerCsv.ts"
import * as ListUpload from "./edge/ListUpload.ts"
import { SuppressionForm } from "./SuppressionListsApi.ts"

const formFields = {
  file: "numbers",
  known: new Set(Object.keys(SuppressionForm.fields)),
  ignored: new Set<string>(),
}

/** Every fault at once, each with a pointer to its field. A form sends a field that was left blank as an empty text. */
const rulesOf = Effect.fnUntraced(function* (fields: ReadonlyMap<string, string>) {
  const filled = [...fields]
    .map(([name, text]) => [name, name === "default_country" ? text.trim().toUpperCase() : text.trim()] as const)
    .filter(([, text]) => text !== "")
  const { default_country, reason, subject } = yield* Schema.decodeUnknownEffect(SuppressionForm)(
    Object.fromEntries(filled),
    {
      errors: "all",
    },
  ).pipe(Effect.mapError(({ issue }) => new Invalid({ errors: faultsOf(issue) })))
  return { default_country, reason: reason ?? null, subject: subject ?? null }
})

const answer = (report: SuppressionReport) => HttpServerResponse.jsonUnsafe(report, { status: 200 })

/** Seconds: 2.2 million numbers took 62 on a busy machine. */
const longestImport = 600

export const layer = HttpApiBuilder.group(
  Api,
  "suppression-lists",
  Effect.fnUntraced(function* (handlers) {
    const copy = yield* Copy
    const master = yield* MasterKey
    const receive = yield* ListUpload.make
    return handlers
      .handleRaw(
        "import",
        Effect.fnUntraced(
          function* () {
            const { answerOnce, fields, file } = yield* receive(formFields, SuppressionImport.maximumBytes)
            const rules = yield* rulesOf(fields)
            // This transaction is only for the answer to an `Idempotency-Key`. The import has its own.
            return yield* copy.transaction(() =>
              answerOnce(keepOpen(Effect.map(SuppressionImport.run({ file, rules }), answer), longestImport)),
            )
          },
          Effect.scoped,
          Effect.provideService(MasterKey, master),
          Effect.catchTag("SqlError", Effect.die),
        ),
      )
      .handle("export", ({ query }) =>
        Effect.flatMap(Pages.reader, (read) =>
          answerCsv("do-not-call.csv", SuppressionsCsv.stream(query.search, read)),
        ),
      )
  }),
)
