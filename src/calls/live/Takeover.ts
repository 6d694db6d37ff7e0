/** One take-over of a live call: connects the supervisor's page with the call's line, in the agent's place. */
import { Clock, Deferred, Effect, type Scope, Stream } from "effect"
import { randomBytes } from "node:crypto"
import type { CallRecord, PersonOnCall, TakingPerson } from "../../conversation/CallRecord.ts"
import type { VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import { refusalSentences, type TakeoverRefusal, ticketSeconds } from "../../domain/Takeover.ts"
import type { ToSupervisor } from "../../domain/TakeoverMessage.ts"
import { heardRate, spokenRate } from "../../speech/Audio.ts"
import { Ear, type EarListener } from "../../speech/Ear.ts"
import type { Transcript } from "../../speech/SpeechToText.ts"
import { ArrivalTimes } from "../../telephony/ArrivalTimes.ts"
import { PersonSound } from "../../telephony/browser/PersonSound.ts"
import type { Loudspeaker } from "../../telephony/browser/SoundWire.ts"
import { eventFrom } from "../../telephony/HeardWords.ts"
import * as SoundPatch from "../../telephony/SoundPatch.ts"
import type { Line, PersonHearing } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"

/** A page sends sound all the time, even while it is muted. A page that sends none for this long is gone. */
const mostSilentMs = 4_000
const checkEvery = "250 millis"
/** A browser cancels most of the sound that it plays. */
const cancelledDb = 24
const nanosPerMs = 1_000_000

/** A socket of the supervisor's page. */
export interface SupervisorPage {
  readonly loudspeaker: Loudspeaker
  readonly tell: (message: ToSupervisor) => void
}

/** A line that can be taken over. */
export interface TakenLine extends Pick<Line, "moment"> {
  readonly patch: SoundPatch.SoundPatch
  readonly listen: NonNullable<Line["listen"]>
}

export interface TakenCall {
  readonly id: CallId
  readonly tenant: AccountEntry
  readonly record: CallRecord
  readonly line: TakenLine
  readonly by: VersionAuthor
}

/** Ignores when the supervisor's speech begins and ends: only the words matter. */
const unheeded: EarListener = { started: () => {}, ended: () => {}, suspected: () => {}, cleared: () => {} }

export class Takeover {
  readonly call: TakenCall
  token = ""
  /** When the token expires, in milliseconds of the wall clock. Without effect once a page has joined. */
  expiresAt: number = 0
  /** Fails when the supervisor loses the permission to talk, by the newest token. */
  lapsed: Effect.Effect<never, unknown> = Effect.never
  stage: "expected" | "begun" | "talking" | "over" = "expected"
  readonly over = Deferred.makeUnsafe<void>()
  readonly sound: PersonSound
  #page: SupervisorPage | null = null
  #person: PersonOnCall | null = null
  #hear: (frame: Int16Array, sentDb: number | null) => void = () => {}
  #separate: () => void = () => {}
  #why: Extract<ToSupervisor, { readonly type: "ended" | "refused" }> = { type: "ended", reason: "call_ended" }
  #heardAt = 0
  #isLeaving = false
  wasRefused = false

  constructor(call: TakenCall) {
    this.call = call
    this.sound = new PersonSound((frame, sentDb) => this.#hear(frame, sentDb))
  }

  /** Issues a token, which replaces the previous one. */
  issue(now: number, lapsed: Effect.Effect<never, unknown>): string {
    this.token = randomBytes(24).toString("base64url")
    this.expiresAt = now + ticketSeconds * 1_000
    this.lapsed = lapsed
    return this.token
  }

  isExpired(now: number): boolean {
    return this.stage === "over" || (this.stage === "expected" && now > this.expiresAt)
  }

  /** Attaches a page in place of the previous one. The returned function detaches it. */
  join(page: SupervisorPage): () => void {
    const before = this.#page
    this.#page = page
    before?.tell({ type: "refused", code: "replaced", detail: "The call goes on in another tab or window." })
    this.sound.wire.join(page.loudspeaker)
    const { id, record } = this.call
    page.tell({
      type: "ready",
      call_id: id,
      sound: { heard: heardRate, spoken: spokenRate },
      ends_at: record.ends_at?.toISOString() ?? null,
    })
    if (this.stage === "talking") page.tell({ type: "connected" })
    if (this.stage === "over") page.tell(this.#why)
    return () => {
      this.sound.wire.part(page.loudspeaker)
      if (this.#page === page) this.#page = null
    }
  }

  leave(how: "handed_back" | "lost"): void {
    if (this.#isLeaving || this.#person === null) return
    this.#isLeaving = true
    this.#why = { type: "ended", reason: how }
    this.#person.leave(how)
  }

  /**
   * Asks the conversation for its place, and begins to listen to the microphone. Times are on the line's clock, which
   * began at `began`.
   */
  start({ detector, listening }: PersonHearing, now: () => number, began: number): void {
    const ear = new Ear(detector, listening, unheeded, cancelledDb)
    const arrivals = new ArrivalTimes()
    this.#heardAt = now()
    this.#hear = (frame, sentDb) => {
      this.#heardAt = now()
      if (this.stage === "talking") ear.hear(frame, Math.round(arrivals.next(now() - began)), sentDb)
    }
    this.#person = this.call.record.takeOver?.(this.#asPerson()) ?? null
    if (this.#person === null) this.#refuse("ending")
  }

  understood(result: Transcript): void {
    const event = eventFrom(result)
    if (event?._tag === "Utterance") this.#person?.said(event)
  }

  isSilent(now: number): boolean {
    return now - this.#heardAt > mostSilentMs
  }

  /** The functions that the conversation calls. They do not wait. */
  #asPerson(): TakingPerson {
    return {
      by: this.call.by,
      refuse: (why) => this.#refuse(why),
      connect: () => {
        this.stage = "talking"
        this.#separate = SoundPatch.join(this.call.line.patch, this.sound.patch, true)
        this.#page?.tell({ type: "connected" })
      },
      over: (why) => this.#finish(why === "call" ? { type: "ended", reason: "call_ended" } : this.#why),
    }
  }

  /** Ends the take-over: its row could not be written, or its recogniser could not be opened. */
  fail(): void {
    this.#person?.leave("lost")
    this.#finish({ type: "refused", code: "internal", detail: "The call could not be taken over. Try again." })
  }

  #refuse(why: TakeoverRefusal): void {
    this.wasRefused = true
    this.#finish({ type: "refused", code: "invalid_state", detail: refusalSentences[why] })
  }

  #finish(why: Extract<ToSupervisor, { readonly type: "ended" | "refused" }>): void {
    this.stage = "over"
    this.#why = why
    this.#separate()
    this.#separate = () => {}
    this.#page?.tell(why)
    Deferred.doneUnsafe(this.over, Effect.void)
  }
}

/** Runs the take-over from its first socket until the agent has the call back or the call has ended. */
export const hold = Effect.fnUntraced(function* (takeover: Takeover): Effect.fn.Return<void, never, Scope.Scope> {
  const { line } = takeover.call
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / nanosPerMs
  const began = now() - (yield* line.moment).at
  const hearing = yield* line.listen(heardRate)
  yield* Effect.forkScoped(
    Stream.runForEach(hearing.listening.results, (result) => Effect.sync(() => takeover.understood(result))),
  )
  takeover.start(hearing, now, began)
  const silence = Effect.sync(() => takeover.isSilent(now())).pipe(
    Effect.delay(checkEvery),
    Effect.repeat({ until: (isSilent) => isSilent }),
  )
  // A page that has asked for another token meanwhile goes on by that one.
  const lapse = Effect.suspend(() => {
    const { lapsed } = takeover
    return Effect.map(Effect.ignore(lapsed), () => takeover.lapsed === lapsed)
  }).pipe(Effect.repeat({ until: (isLast) => isLast }))
  const leave = Effect.sync(() => takeover.leave("lost"))
  yield* Effect.forkScoped(Effect.andThen(Effect.raceFirst(silence, lapse), leave))
  yield* Deferred.await(takeover.over)
})
