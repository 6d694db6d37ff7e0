/** Calls over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as CallHistory from "../calls/CallHistory.ts"
import * as CallNotes from "../calls/CallNotes.ts"
import { Calls } from "../calls/Calls.ts"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import * as DirectDials from "../campaigns/DirectDials.ts"
import * as CallsCsv from "../archive/CallsCsv.ts"
import { CallSummary } from "../domain/Call.ts"
import { revisionOf } from "../domain/CallRevision.ts"
import { Page } from "../domain/Page.ts"
import { momentAs } from "../domain/Timestamp.ts"
import { Erasure } from "../erasure/Erasure.ts"
import { Recordings } from "../recording/Recordings.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import * as Pages from "../tenancy/Pages.ts"
import { Api } from "./Api.ts"
import * as CallListening from "./CallListening.ts"
import { answerCsv } from "./edge/AnswerCsv.ts"
import { ReleaseTenant } from "./edge/Authentication.ts"
import { answerRanged } from "./edge/Range.ts"
import { withLocation, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(CallSummary))

export const layer = HttpApiBuilder.group(
  Api,
  "calls",
  Effect.fnUntraced(function* (handlers) {
    const calls = yield* Calls
    const control = yield* CampaignControl
    const { deleteCall } = yield* Erasure
    const listen = yield* CallListening.make
    const recordings = yield* Recordings
    return handlers.handleAll({
      list: ({ query: { from, to, ...filter } }) =>
        page(CallHistory.list({ ...filter, ...momentAs("from", from), ...momentAs("to", to) })),
      export: Effect.fnUntraced(function* ({ query: { from, to, ...filter } }) {
        const conditions = { ...filter, ...momentAs("from", from), ...momentAs("to", to) }
        return yield* answerCsv("calls.csv", CallsCsv.stream(conditions, yield* Pages.reader))
      }),
      place: ({ payload }) =>
        Effect.flatMap(DirectDials.place(payload), (call) => withLocation(`/api/v1/calls/${call.id}`, call)),
      get: ({ params }) =>
        Effect.map(CallHistory.find(params.id), (call) => withEtag({ ...call, revision: revisionOf(call) })),
      remove: ({ params }) => deleteCall(params.id),
      hangUp: ({ params }) => calls.hangUp(params.id),
      pauseRecording: ({ params }) => calls.setRecordingPaused(params.id, true),
      resumeRecording: ({ params }) => calls.setRecordingPaused(params.id, false),
      setDisposition: ({ params, payload }) =>
        Effect.andThen(control.setDisposition(params.id, payload.key), CallHistory.find(params.id)),
      addNote: ({ params, payload }) => CallNotes.add(params.id, payload.text),
      deleteNote: ({ params }) => CallNotes.remove(params.id, params.note_id),
      whisper: ({ params, payload }) => calls.whisper(params.id, payload),
      takeOver: ({ params }) => calls.takeOver(params.id),
      listen: ({ params, request }) => listen(params.id, request),
      recording: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* CallHistory.find(params.id)
        const { bytes, read } = yield* recordings.find(id)
        yield* Effect.orDie(AuditTrail.write())
        // The sound is on the disk, so a client that reads it slowly need not hold the database.
        yield* yield* ReleaseTenant
        return yield* answerRanged({
          bytes,
          read,
          // The sound of a call that has ended never changes.
          etag: `"${bytes}"`,
          contentType: "audio/wav",
          headers: { "cache-control": "no-store", "content-disposition": `attachment; filename="call-${id}.wav"` },
        })
      }),
    })
  }),
)
