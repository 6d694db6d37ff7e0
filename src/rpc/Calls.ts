/** Calls over the router. */
import { Effect, Schema, Stream } from "effect"
import * as CallHistory from "../calls/CallHistory.ts"
import * as DirectDials from "../campaigns/DirectDials.ts"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import * as CallNotes from "../calls/CallNotes.ts"
import { Calls } from "../calls/Calls.ts"
import * as LiveView from "../calls/live/LiveView.ts"
import { Call, CallSummary, TranscriptEntry } from "../domain/Call.ts"
import { CallNote } from "../domain/CallNote.ts"
import { revisionOf } from "../domain/CallRevision.ts"
import { Page } from "../domain/Page.ts"
import { momentAs } from "../domain/Timestamp.ts"
import { TakeoverTicket } from "../domain/Takeover.ts"
import { Erasure } from "../erasure/Erasure.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/Calls.ts"
import { mutation, query, router, subscription, unkeyedMutation } from "./Procedure.ts"

const LiveCalls = Schema.Struct({ items: Schema.Array(CallSummary) })
const Heard = Schema.Struct({
  number: Schema.Int,
  entry: Schema.NullOr(TranscriptEntry),
  ended: Schema.NullOr(CallSummary),
})

const setRecordingPaused = (id: string, isPaused: boolean) =>
  Calls.use((calls) => calls.setRecordingPaused(id, isPaused))

export const calls = router({
  list: query("read", Inputs.CallList, Page(CallSummary), ({ from, to, ...filter }) =>
    CallHistory.list({ ...filter, ...momentAs("from", from), ...momentAs("to", to) }),
  ),
  get: query("read", Inputs.CallKey, Tagged(Call), ({ id }) =>
    Effect.map(CallHistory.find(id), (call) => withEtag({ ...call, revision: revisionOf(call) })),
  ),
  place: mutation("dial", Inputs.NewCall, Call, DirectDials.place),
  remove: unkeyedMutation("write", Inputs.CallKey, Nothing, ({ id }) =>
    Erasure.use(({ deleteCall }) => deleteCall(id)),
  ),
  hangUp: mutation("write", Inputs.CallKey, Call, ({ id }) => Calls.use(({ hangUp }) => hangUp(id))),
  pauseRecording: mutation("write", Inputs.CallKey, Call, ({ id }) => setRecordingPaused(id, true)),
  resumeRecording: mutation("write", Inputs.CallKey, Call, ({ id }) => setRecordingPaused(id, false)),

  setDisposition: mutation("write", Inputs.NewDisposition, Call, ({ id, key }) =>
    Effect.andThen(
      CampaignControl.use(({ setDisposition }) => setDisposition(id, key)),
      CallHistory.find(id),
    ),
  ),

  addNote: mutation("write", Inputs.NewCallNote, CallNote, ({ id, text }) => CallNotes.add(id, text)),
  deleteNote: unkeyedMutation("write", Inputs.CallNoteKey, Nothing, ({ id, note_id }) => CallNotes.remove(id, note_id)),

  whisper: mutation("write", Inputs.Whisper, Call, ({ id, ...whisper }) =>
    Calls.use((calls) => calls.whisper(id, whisper)),
  ),

  takeOver: mutation("write", Inputs.CallKey, TakeoverTicket, ({ id }) => Calls.use(({ takeOver }) => takeOver(id))),

  /** The live calls, newest first; sent again when one begins, changes or ends. */
  live: subscription("read", Inputs.LiveCalls, LiveCalls, ({ campaign_id }) =>
    Effect.map(CurrentTenant, (account) =>
      LiveView.inProgress(account, campaign_id).pipe(
        Stream.zipWithIndex,
        Stream.map(([items, at]) => [String(at), { items }] as const),
      ),
    ),
  ),
  /** The transcript of a call, entry by entry, and its end. */
  transcript: subscription("read", Inputs.LiveTranscript, Heard, ({ id, lastEventId }) =>
    Effect.gen(function* () {
      const account = yield* CurrentTenant
      const call = yield* CallHistory.find(id)
      const heard = LiveView.transcript(account, call.id, Number(lastEventId ?? 0))
      return Stream.map(heard, (item) => [String(item.number), item] as const)
    }),
  ),
})
