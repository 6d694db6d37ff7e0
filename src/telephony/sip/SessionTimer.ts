/** Session timers (RFC 4028): a call whose peer is gone without a BYE ends when neither side has refreshed it. */
import { parseNumber } from "./Fields.ts"
import { type Field, fieldOf, hasOption, type Message } from "./Message.ts"
import type { Schedule } from "./Timers.ts"

/** Seconds. What we ask for, and the least that we agree to. */
const wanted = 1_800
const least = 90
/** A session without refresh ends this much before it expires, or a third of it if that is less (§10). */
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

  /** What a request of ours that makes or refreshes a session says. */
  offer(): ReadonlyArray<Field> {
    return offerOf(this.minimum)
  }

  /** What our 2xx to the peer's request says; from then on the session is timed. */
  answer(request: Message): ReadonlyArray<Field> {
    const fields = answerTo(request)
    if (fields.length > 0) this.start({ fields }, false)
    return fields
  }

  /** Called when a 2xx has made or refreshed the session. `isOurRequest`: the peer sent the 2xx, to our request. */
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

/** The fields of the 422 to a request that wants its session refreshed too often; null if it does not. */
export const refusalOf = (request: Message): ReadonlyArray<Field> | null => {
  const seconds = secondsOf(request)
  return seconds !== null && seconds < least ? [["min-se", String(least)]] : null
}

/** The fields of a request that asks for a timer; `minimum` is what the network wants at least. */
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

/** What a 422 wants at least, in seconds. */
export const minimumOf = (refusal: Message): number => parseNumber(fieldOf(refusal, "min-se"), 86_400) ?? least
