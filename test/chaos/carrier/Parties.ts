/**
 * Which party answers, by the last two digits of the number: the lab's table (decisions §6), implemented independently.
 * The texts are the lab's.
 */
import { personas } from "../../../src/telephony/lab/Personas.ts"

export interface Party {
  readonly opening: string | null
  /** The answers in turn, followed by a goodbye. Null for a party that says nothing. */
  readonly lines: ReadonlyArray<string> | null
  readonly machine?: boolean
  readonly hangs_up_after_ms?: number
  readonly drops_mid_sentence?: boolean
  readonly barges_in?: boolean
}

/** How the network ends an unanswered call. */
export interface Refusal {
  readonly status: "busy" | "no-answer" | "failed"
  readonly sip: number
  /** Seconds of ringing before the refusal. Null if it rings until the caller's time is up. */
  readonly rings: number | null
}

export type Behaviour = { readonly answers: Party } | { readonly refuses: Refusal }

const greeting =
  "Hello, you have reached my voicemail. I can't take your call right now. Please leave a message after the tone."

/** `isFirst` is true if the number has not been called before. */
export const behaviourOf = (number: string, isFirst: boolean): Behaviour => {
  const digits = Number(number.slice(-2))
  const refuses = (status: Refusal["status"], sip: number, rings: number | null = 0): Behaviour => ({
    refuses: { status, sip, rings },
  })
  const brief: Party = personas[0]
  if (digits < 60) return { answers: personas[Math.floor(digits / 10)] ?? brief }
  if (digits < 65) return { answers: { opening: "Hello?", lines: [], hangs_up_after_ms: 1_500 } }
  if (digits < 70) return { answers: { opening: null, lines: null } }
  if (digits < 75) return refuses("busy", 486)
  if (digits < 80) return refuses("no-answer", 487, null)
  if (digits < 85) return { answers: { opening: greeting, lines: null, machine: true } }
  // Carriers use both statuses: the far end's SIP status counts, not the carrier's word.
  if (digits < 88) return refuses(digits === 87 ? "busy" : "failed", 603, 2)
  if (digits < 90) return refuses("failed", 404)
  if (digits < 93) return refuses("failed", 503)
  if (digits < 95) return isFirst ? refuses("busy", 486) : { answers: brief }
  if (digits === 95) return { answers: { opening: "Hello?", lines: [], drops_mid_sentence: true } }
  if (digits < 98) return { answers: { ...personas[1], barges_in: true } }
  if (digits === 98) return { answers: { opening: "Hello?", lines: ["I want to speak to a real person, please."] } }
  return { answers: { opening: "Hello?", lines: ["Please take me off your list and never call me again."] } }
}

/** Milliseconds to say a text, at some 155 words a minute. */
export const spokenMs = (text: string): number =>
  Math.max(300, Math.round((text.trim().split(/\s+/u).filter(Boolean).length / 2.6) * 1_000))

export const saysGoodbye = (text: string): boolean => /\bgood ?bye\b|\bbye\b/iu.test(text)
