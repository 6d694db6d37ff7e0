/** The monitor's sentences about a campaign: its state, why it waits, when it ends. */
import { done, percent, type Snapshot } from "./Snapshot.ts"

const day = 86_400_000

const twoDigits = (value: number) => String(value).padStart(2, "0")

/** The time in the time zone of this machine. */
export const clock = (at: Date): string => [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":")

/** The time to the minute, with the day unless it is today. */
export const moment = (at: Date, now: Date): string => {
  const time = clock(at).slice(0, 5)
  if (at.toDateString() === now.toDateString()) return time
  if (at.toDateString() === new Date(now.getTime() + day).toDateString()) return `tomorrow ${time}`
  return `${at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" })} ${time}`
}

export const duration = (seconds: number): string => {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} min`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

export const number = (value: number): string => value.toLocaleString("en-US")

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** Removes control characters, so that a name cannot write escape sequences to the terminal. */
export const harmless = (name: string): string => name.replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, "")

export const state = (snapshot: Snapshot): string => {
  const { slots } = snapshot.waiting
  const calls = `${slots.used} of ${plural(slots.limit, "slot")} in use`
  if (snapshot.status === "running") return `running, ${calls}`
  return snapshot.active_calls > 0
    ? `${snapshot.status}, ${plural(snapshot.active_calls, "call")} in progress`
    : snapshot.status
}

const retries = ({ waiting }: Snapshot, now: Date): string => {
  const { next_at } = waiting.retries
  const next = next_at === null ? "" : `, the next at ${moment(new Date(next_at), now)}`
  return `Waiting for a retry: ${plural(waiting.retries.waiting, "contact")}${next}.`
}

const callbacks = ({ waiting }: Snapshot, now: Date): string => {
  const { next_at } = waiting.callbacks
  const next = next_at === null ? "" : `, the next at ${moment(new Date(next_at), now)}`
  return `Waiting for callbacks: ${plural(waiting.callbacks.waiting, "contact")}${next}.`
}

const hours = ({ waiting }: Snapshot, now: Date): string => {
  const { closed, next_open_at } = waiting.window
  if (next_open_at === null) return "Outside calling hours for every contact that is left."
  return `Outside calling hours. Opens ${moment(new Date(next_open_at), now)} for ${plural(closed, "contact")}.`
}

const numbers = ({ caller_numbers }: Snapshot, now: Date): string => {
  const next_at = caller_numbers?.next_at ?? null
  const next = next_at === null ? "" : ` The next may call at ${moment(new Date(next_at), now)}.`
  return `None of the campaign's numbers may call now: they rest, have had their calls of today, or keep their seconds between calls.${next}`
}

const waits: Record<string, (snapshot: Snapshot, now: Date) => string> = {
  concurrent_cap: ({ waiting }) => `All ${plural(waiting.budget.limit, "call slot")} of the account are in use.`,
  per_minute_cap: ({ waiting }) => `The limit of ${plural(waiting.per_minute.limit, "call")} per minute is reached.`,
  daily_cap: ({ waiting }) =>
    `Today's limit of ${plural(waiting.per_day.limit, "call")} is reached. Dialling continues at midnight in the account's time zone.`,
  spend_cap: ({ missing_price, spend }) =>
    missing_price ??
    `What is left of the ${spend?.limit} ${spend?.currency} that the campaign may spend does not cover the next call. Raise the limit to continue.`,
  caller_number: numbers,
  calling_window: hours,
  rule: () =>
    "A rule of the campaign's packs puts off each contact that is left. The contact names the rule and the time.",
  budget: ({ waiting }) =>
    `Needs ${plural(waiting.slots.limit, "slot")}, ${Math.max(0, waiting.budget.limit - waiting.budget.used)} free. Starts automatically when enough are free.`,
  retry_delay: retries,
  callback: callbacks,
  carrier: () =>
    "Paused automatically: too many calls failed at the carrier. Check the carrier, then resume the campaign.",
  restored: () =>
    "The account was restored from a backup. It dials again when an administrator sets the account to active.",
}

export interface Wait {
  readonly text: string
  /** True if the campaign dials nothing until the reason is gone. */
  readonly isStanding: boolean
}

/** Why the campaign does not dial at this moment. */
export const wait = (snapshot: Snapshot, now: Date): Wait => {
  const { counts, status, waiting, waiting_for } = snapshot
  if (waiting_for !== null) {
    const text = waits[waiting_for]?.(snapshot, now) ?? `Waiting: ${harmless(waiting_for.replaceAll("_", " "))}.`
    return { text, isStanding: true }
  }
  if (status === "paused") return { text: "Paused. No calls start until the campaign is resumed.", isStanding: true }
  if (status === "draft") return { text: "Not started yet.", isStanding: true }
  if (status !== "running") return { text: "", isStanding: false }
  if (counts.pending === 0)
    return { text: "Every contact has been called. The last calls are in progress.", isStanding: false }
  if (waiting.slots.used >= waiting.slots.limit) {
    return { text: "Every slot is in use. The next call starts when one ends.", isStanding: false }
  }
  return { text: "Dialling.", isStanding: false }
}

/** The estimated end, at the present pace. */
export const end = ({ eta_seconds, status }: Snapshot, now: Date): string => {
  if (status !== "running" || eta_seconds === null) return ""
  if (eta_seconds === 0) return "ends soon"
  return `ends about ${moment(new Date(now.getTime() + eta_seconds * 1_000), now)} (${duration(eta_seconds)})`
}

/** The snapshot as one line, for grep. */
export const plain = (name: string, snapshot: Snapshot): string => {
  const { active_calls, calls_per_minute, counts, eta_seconds, status, waiting_for } = snapshot
  const eta =
    eta_seconds === null
      ? "-"
      : duration(eta_seconds)
          .replaceAll(/ (?=[hms])| /g, "")
          .replace("min", "m")
  const progress = `${done(snapshot)}/${counts.total} ${percent(done(snapshot), counts.total)}%`
  const pace = `in-call ${active_calls} rate ${calls_per_minute}/min eta ${eta}`
  return `${clock(new Date(snapshot.at))} ${name} ${status} ${progress} ${pace} waiting ${harmless(waiting_for ?? "-")}`
}

/** An `end_reason` in words. */
export const ending = (reason: string | null): string =>
  (
    {
      finished: "finished",
      stopped: "stopped by a user",
      agent_missing: "the agent was deleted",
      phone_number_missing: "the phone number was deleted",
      carrier_rejected: "the carrier rejected the number",
    } as Record<string, string>
  )[reason ?? ""] ?? harmless(reason ?? "no reason given")
