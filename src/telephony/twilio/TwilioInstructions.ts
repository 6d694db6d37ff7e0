/** Sends a Twilio call its next instruction, one at a time, and waits until Twilio reports that it was carried out. */
import { Effect, Option, Semaphore } from "effect"
import type { TwilioCredentials } from "../../domain/TwilioConfig.ts"
import type { Words } from "../CarrierCalls.ts"
import type { Feed } from "../CarrierFeeds.ts"
import { goneOf, until } from "../rest/CallReports.ts"
import type { DialRequest, Gone } from "../Telephony.ts"
import type { TwilioApi } from "./TwilioApi.ts"
import type { TwilioUrls } from "./TwilioUrls.ts"

/** Twilio's error for an instruction to a call that is over. */
const notInProgress = "21220"

/**
 * Where the talk begins among the reports on the call. What came before belongs to the process that conducted the call
 * then.
 */
export interface Beginning {
  /** Words up to this time are old, in milliseconds since 1970. */
  readonly heard_until: number
  /** The number of the last instruction before. Marks are unique within a call. */
  readonly step: number
}

export const atTheAnswer: Beginning = { heard_until: Number.NEGATIVE_INFINITY, step: 0 }

export interface InstructedCall {
  readonly request: DialRequest
  readonly api: TwilioApi["Service"]
  readonly credentials: TwilioCredentials
  readonly sid: string
  readonly feed: Feed
  readonly urls: TwilioUrls
  /** Asks Twilio about the call, and stores what it says. */
  readonly lookUp: Effect.Effect<void>
  readonly beginning: Beginning
}

/** How an instruction ended: Twilio reported its mark, or the call was over first. */
export type Ending = { readonly passed: Words } | { readonly gone: Gone }

export interface Instruction {
  /** The first letter of the instruction's mark. */
  readonly kind: string
  /**
   * Returns the TwiML. When it has been carried out, Twilio requests the next instructions at `next`, which reports
   * `mark`.
   */
  readonly twiml: (next: string, mark: string) => string
  /** Milliseconds to wait for either report. */
  readonly patience: number
}

/** Returns null if neither report came in time. */
export type Instruct = (instruction: Instruction) => Effect.Effect<Ending | null>

export const make = ({ api, beginning, feed, lookUp, credentials, request, sid, urls }: InstructedCall): Instruct => {
  /** Instructions wait for each other, because a new one would end the previous one. */
  const oneAtATime = Semaphore.makeUnsafe(1)
  let { step } = beginning

  /** Looks the call up instead of waiting for a report: the call may have just ended. */
  const lookUpEnd = Effect.gen(function* () {
    yield* lookUp
    const over = yield* until(feed, 0, goneOf)
    return { gone: Option.getOrElse(over, (): Gone => "lost") }
  })

  return Effect.fnUntraced(function* ({ kind, patience, twiml }) {
    const mark = `${kind}${++step}`
    yield* request.confirmOwnership
    const sent = yield* Effect.result(api.update(credentials, sid, { Twiml: twiml(urls.talk(mark), mark) }))
    if (sent._tag === "Failure") {
      const isOver = sent.failure._tag === "CarrierRefused" && sent.failure.code === notInProgress
      if (!isOver) yield* Effect.logWarning("sending a call's next instruction to its carrier failed", sent.failure)
      return yield* lookUpEnd
    }
    const ending = yield* until(feed, patience, (row): Ending | undefined => {
      const passed = row.words.find((words) => words.mark === mark)
      if (passed !== undefined) return { passed }
      const gone = goneOf(row)
      return gone === undefined ? undefined : { gone }
    })
    return Option.getOrNull(ending)
  }, oneAtATime.withPermits(1))
}
