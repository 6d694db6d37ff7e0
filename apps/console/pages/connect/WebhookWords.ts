/** Webhooks and their deliveries in words. */
import type { Outputs } from "../../data/AccountPulse.ts"

export type Delivery = Outputs["webhooks"]["deliveries"]["items"][number]
export type Webhook = Outputs["webhooks"]["get"]

/** "crm.harbordental.com/parley". */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, "").replace(/\/$/, "")

export const eventsWord = (events: Webhook["events"]): string =>
  events.includes("*") ? "all events" : events.length === 1 ? (events[0] ?? "") : `${events.length} events`

/** The receiver's status. Without a response, the error. */
export const answerOf = (code: number | null, error: string | null): string =>
  code === null
    ? error === null
      ? "–"
      : /did not answer within|timed out/i.test(error)
        ? "timeout"
        : "no answer"
    : String(code)

export const toneOf = (code: number | null, error: string | null, isGivenUp = false): "plain" | "warn" | "stop" =>
  error === null && (code === null || code < 300) ? "plain" : isGivenUp ? "stop" : "warn"
