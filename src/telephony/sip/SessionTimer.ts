/**
 * Session timers (RFC 4028): if a peer disappears without a BYE, the call ends when neither side has refreshed it in
 * time.
 */
import { parseNumber } from "./Fields.ts"
import { type Field, fieldOf, hasOption, type Message } from "./Message.ts"
import type { Schedule } from "./Timers.ts"

/** The session interval that we ask for, and the least that we accept, in seconds. */
const wanted = 1_800
const least = 90
/**
 * A session that is not refreshed ends this many seconds before it expires, or a third of the interval before if that
 * is less (§10).
 */
const endsBefore = 32

interface Reactions {
  readonly refresh: () => void
  readonly expired: () => void
}

export class SessionTimer {
  private readonly schedule: Schedule
  private readonly reactions: Reactions
  private cancel = () => {}
  private minimum = least

  constructor(schedule: Schedule, reactions: Reactions) {
    this.schedule = schedule
    this.reactions = reactions
  }

  /** The fields of our request that creates or refreshes a session. */
  offer(): ReadonlyArray<Field> {
    return offerOf(this.minimum)
  }

  /** The fields of our 2xx to the peer's request. Starts the timer. */
  answer(request: Message): ReadonlyArray<Field> {
    const fields = answerTo(request)
    if (fields.length > 0) this.start({ fields }, false)
    return fields
  }

  /**
   * Restarts the timer when a 2xx has created or refreshed the session. `isOurRequest`: the peer sent the 2xx to our
   * request.
   */
  start(success: Pick<Message, "fields">, isOurRequest: boolean): void {
    this.cancel()
    const seconds = secondsOf(success)
    if (seconds === null || seconds < least) return
    const refresher = /;\s*refresher\s*=\s*(ua[cs])/i.exec(fieldOf(success, "session-expires") ?? "")?.[1]
    const isOurs = isOurRequest === ((refresher ?? "uac").toLowerCase() === "uac")
    const after = isOurs ? seconds / 2 : seconds - Math.min(endsBefore, seconds / 3)
    this.cancel = this.schedule(Math.round(after * 1_000), isOurs ? this.reactions.refresh : this.reactions.expired)
  }

  stop(): void {
    this.cancel()
  }
}

/** The fields of the 422 to a request whose interval is too short; null if the interval is acceptable. */
export const refusalOf = (request: Message): ReadonlyArray<Field> | null => {
  const seconds = secondsOf(request)
  return seconds !== null && seconds < least ? [["min-se", String(least)]] : null
}

/** The fields of a request that asks for a timer. `minimum` is the network's shortest interval. */
export const offerOf = (minimum = least): ReadonlyArray<Field> => [
  ["session-expires", String(Math.max(wanted, minimum))],
  ["min-se", String(Math.max(least, minimum))],
]

/** The fields of our 2xx: the peer refreshes, unless it wants us to. None if it asked for no timer. */
export const answerTo = (request: Message): ReadonlyArray<Field> => {
  const seconds = secondsOf(request)
  if (seconds === null) return []
  const isOurs = /;\s*refresher\s*=\s*uas/i.test(fieldOf(request, "session-expires") ?? "")
  const required: ReadonlyArray<Field> = hasOption(request, "supported", "timer") ? [["require", "timer"]] : []
  return [["session-expires", `${Math.max(seconds, least)};refresher=${isOurs ? "uas" : "uac"}`], ...required]
}

const secondsOf = (message: Pick<Message, "fields">): number | null =>
  parseNumber(fieldOf(message, "session-expires")?.split(";")[0], 2 ** 31 - 1)

/** The shortest interval that a 422 accepts, in seconds. */
export const minimumOf = (refusal: Message): number => parseNumber(fieldOf(refusal, "min-se"), 86_400) ?? least
