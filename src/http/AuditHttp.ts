/** The audit log over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AuditCsv from "../audit/AuditCsv.ts"
import * as AuditLog from "../audit/AuditLog.ts"
import { momentAs } from "../domain/Timestamp.ts"
import * as Pages from "../tenancy/Pages.ts"
import { Api } from "./Api.ts"
import { answerCsv } from "./edge/AnswerCsv.ts"

export const layer = HttpApiBuilder.group(Api, "audit", (handlers) =>
  handlers.handleAll({
    list: ({ query: { from, to, ...filter } }) =>
      AuditLog.list({ ...filter, ...momentAs("from", from), ...momentAs("to", to) }),
    csv: Effect.fnUntraced(function* ({ query: { from, to, ...filter } }) {
      const rows = yield* AuditCsv.stream(
        { ...filter, ...momentAs("from", from), ...momentAs("to", to) },
        yield* Pages.reader,
      )
      return yield* answerCsv("audit-log.csv", rows)
    }),
  }),
)
