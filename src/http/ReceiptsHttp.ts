/** The receipts of dials over HTTP: handlers translate and delegate. */
import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Receipts from "../campaigns/Receipts.ts"
import { momentOf } from "../domain/Timestamp.ts"
import * as Pages from "../tenancy/Pages.ts"
import { Api } from "./Api.ts"
import { answerFile } from "./edge/AnswerCsv.ts"

export const layer = HttpApiBuilder.group(Api, "receipts", (handlers) =>
  handlers.handleAll({ head: () => Receipts.head() }),
)

export const layerExport = HttpApiBuilder.group(Api, "receipt-export", (handlers) =>
  handlers.handle(
    "file",
    Effect.fnUntraced(function* ({ query }) {
      const range = { from: momentOf(query.from), to: momentOf(query.to) }
      const lines = Receipts.lines(range, yield* Pages.reader)
      const bytes = Stream.encodeText(Stream.map(lines, (line) => `${line}\n`))
      return yield* answerFile("receipts.jsonl", "application/jsonl; charset=utf-8", bytes)
    }),
  ),
)
