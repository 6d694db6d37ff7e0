/**
 * Records calls, each in its own fiber, which writes the sound to disk twice a second. The call never waits for the
 * disk: a slow disk costs frames of the recording, and a full disk ends the recording.
 */
import { type Cause, Context, Deferred, Effect, Fiber, Layer, Schedule, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { hostname } from "node:os"
import type { CallId } from "../domain/Call.ts"
import type { TappableSound } from "../telephony/SoundTap.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { PauseMarks } from "./PauseMarks.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import * as RecordingMetrics from "./RecordingMetrics.ts"
import * as RecordingRows from "./RecordingRows.ts"
import { RecordingUploads } from "./RecordingUploads.ts"
import { StereoBuffer } from "./StereoBuffer.ts"
import { WavFile } from "./WavFile.ts"

const writeEvery = "500 millis"
/** Nothing is recorded while the database is unreachable and the row cannot be written. */
const rowRetry = Schedule.spaced("1 second")

/** A recording in progress. */
export interface LiveRecording {
  readonly isPaused: boolean
  /** Whether the recording was paused during any part of this stretch, in milliseconds of the call. */
  readonly wasPaused: (started_ms: number, ended_ms: number) => boolean
  /**
   * Pauses the recording, which then has silence on both sides, or resumes it. Does nothing if that is already the
   * state.
   */
  readonly setPaused: (isPaused: boolean) => Effect.Effect<void>
  /**
   * Pauses the recording for another reason, independent of `setPaused`: the caller may be pressing a secret number.
   */
  readonly setPrivate: (isPrivate: boolean) => Effect.Effect<void>
  /** Begins to record the other side too. */
  readonly recordBoth: () => void
  /** Writes the rest and closes the file. */
  readonly stop: Effect.Effect<void>
}

export class Recorder extends Context.Service<
  Recorder,
  {
    /**
     * Begins to record a call, and returns at once. `isAnnounced`: the agent announces the recording first, and the
     * other side is silent in it until `recordBoth`.
     */
    readonly start: (
      tenant: AccountEntry,
      id: CallId,
      sound: TappableSound,
      isAnnounced: boolean,
    ) => Effect.Effect<LiveRecording>
  }
>()("recording/Recorder") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const folder = yield* RecordingFolder
      const tenants = yield* TenantDatabases
      const uploads = yield* RecordingUploads
      yield* RecordingMetrics.beginCounting

      return {
        start: Effect.fnUntraced(function* (
          tenant: AccountEntry,
          id: CallId,
          sound: TappableSound,
          isAnnounced: boolean,
        ) {
          const buffer = new StereoBuffer(sound.rates)
          buffer.silenceOther(isAnnounced)
          const stopping = yield* Deferred.make<void>()
          const detach = sound.tap(buffer)
          const run = runIn(tenants, tenant)
          const inCall = Effect.annotateLogs({ account: tenant.account.slug, call: id })
          const marks = new PauseMarks()
          // One write at a time, of the marks at that moment: an older list must not replace a newer one.
          const oneWrite = Semaphore.makeUnsafe(1)
          const writePauses = (answered: boolean | null) =>
            Effect.suspend(() => run(RecordingRows.writePauses(id, marks.all, answered))).pipe(
              oneWrite.withPermits(1),
              Effect.catchCause((cause) => Effect.logError("the pauses of a recording could not be written", cause)),
              inCall,
            )
          /** Writes the pauses from before the row was there. */
          const began = Effect.suspend(() => (marks.all.length === 0 ? Effect.void : writePauses(null)))
          const reasons = { asked: false, private: false }
          const pauseFor = (reason: keyof typeof reasons) => (isPaused: boolean) =>
            Effect.suspend(() => {
              reasons[reason] = isPaused
              const isSilent = reasons.asked || reasons.private
              buffer.pause(isSilent)
              marks.set(isSilent, buffer.position)
              return writePauses(reason === "asked" ? isPaused : null)
            })
          const writing = yield* uploads.admit.pipe(
            Effect.andThen(record({ id, path: folder.fileOf(tenant, id), buffer, stopping, run, began })),
            Effect.ensuring(uploads.offer(tenant, id)),
            Effect.catchCause(giveUp),
            Effect.ensuring(Effect.sync(detach)),
            inCall,
            Effect.forkDetach,
          )
          return {
            get isPaused() {
              return marks.isPaused
            },
            wasPaused: (started_ms, ended_ms) => marks.overlaps(started_ms, ended_ms),
            setPaused: pauseFor("asked"),
            setPrivate: pauseFor("private"),
            recordBoth: () => buffer.silenceOther(false),
            stop: Effect.andThen(Deferred.succeed(stopping, undefined), Effect.asVoid(Fiber.await(writing))),
          }
        }),
      }
    }),
  )
}

const giveUp = (cause: Cause.Cause<unknown>) =>
  Effect.andThen(RecordingMetrics.fail, Effect.logError("recording stopped; the call goes on", cause))

/** Runs a statement in the call's account. */
type RunStatement = <A, E>(statement: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.Effect<A, E>

const runIn =
  (tenants: TenantDatabases["Service"], tenant: AccountEntry): RunStatement =>
  (statement) =>
    tenants.open(tenant).pipe(
      Effect.orDie,
      Effect.flatMap((context) => Effect.provideContext(statement, context)),
      Effect.scoped,
    )

interface Task {
  readonly id: CallId
  readonly path: string
  readonly buffer: StereoBuffer
  readonly stopping: Deferred.Deferred<void>
  readonly run: RunStatement
  /** Run when the row is written. */
  readonly began: Effect.Effect<void>
}

/** Records a call. Writes the row before the file, so that no file is without a row. */
const record = Effect.fnUntraced(function* (task: Task) {
  const { began, buffer, id, path, run, stopping } = task
  yield* run(RecordingRows.insert(id, hostname())).pipe(
    Effect.sandbox,
    Effect.tapError((cause) => Effect.logWarning("a recording could not begin yet", cause)),
    Effect.retry(rowRetry),
    Effect.raceFirst(Effect.andThen(Deferred.await(stopping), Effect.die("the call ended before it could begin"))),
  )
  yield* began
  const file = yield* Effect.tryPromise(() => WavFile.create(path, buffer.rate)).pipe(
    Effect.tapError(() => Effect.ignore(run(RecordingRows.remove(id)))),
  )
  yield* RecordingMetrics.begin
  yield* writeUntilStopped(file, task).pipe(
    Effect.ensuring(Effect.ignore(Effect.tryPromise(() => file.close()))),
    Effect.ensuring(Effect.suspend(() => RecordingMetrics.end(buffer.lost))),
  )
})

const writeUntilStopped = Effect.fnUntraced(function* (file: WavFile, { buffer, stopping }: Task) {
  while (true) {
    const { _tag } = yield* Effect.timeoutOption(Deferred.await(stopping), writeEvery)
    const isOver = _tag === "Some"
    for (let part = buffer.take(isOver); part !== null; part = buffer.take(isOver)) {
      const { bytes, slot } = part
      yield* Effect.tryPromise(() => file.write(slot * buffer.slotBytes, bytes))
    }
    if (isOver) return
  }
})
