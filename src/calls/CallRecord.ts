/**
 * What is known of a call while it lives: words, tools, turns, findings. It is written at the call's end, whatever
 * the end is, so that an interrupted call keeps what was said on it.
 */
import type { Schema } from "effect"
import { type Cost, noCost, type ToolInvocation, type TranscriptEntry, type Turn } from "../domain/Call.ts"
import type { Message } from "./brain/Brain.ts"
import { isObject, storableText } from "./JsonValue.ts"

/** A call of four hours with an answer a second stays below it. */
const mostEntries = 20_000

/** Per minute of phone time, begun minutes counted: an invented tariff, near what carriers ask in the US. */
const telephonyPerMinute = 0.014

export class CallRecord {
  answered_at: Date | null = null
  /** Phone time from answer to end. */
  talked_ms = 0
  /** Seconds of phone time that passed in one second (`LAB_SPEED`). */
  speed = 1
  /** A machine took the call. */
  machine = false
  /** A machine took our message. */
  message_left = false
  opted_out = false
  outcome: Schema.JsonObject | null = null
  callback: Schema.JsonObject | null = null
  readonly transcript: Array<TranscriptEntry> = []
  readonly tool_invocations: Array<ToolInvocation> = []
  readonly turns: Array<Turn> = []
  readonly history: Array<Message> = []
  /** US dollars that models took. */
  brain_cost = 0

  heard(entry: Omit<TranscriptEntry, "role">): void {
    this.add({ ...entry, role: "caller" })
  }

  said(entry: Omit<TranscriptEntry, "role">): void {
    if (entry.text !== "") this.add({ ...entry, role: "agent" })
  }

  invoked(invocation: ToolInvocation, elapsed: number): void {
    this.tool_invocations.push(invocation)
    const text = JSON.stringify(invocation.error === undefined ? invocation.result : { error: invocation.error })
    const { arguments: args, tool_name } = invocation
    this.add(
      {
        role: "tool",
        text,
        at: invocation.started_at,
        started_ms: elapsed,
        ended_ms: elapsed,
        tool_invocation_id: invocation.id,
      },
      { tool_name, ...(isObject(args) ? { arguments: args } : {}) },
    )
  }

  get result(): Schema.JsonObject | null {
    if (this.callback === null) return this.outcome
    return { ...this.outcome, callback: this.callback }
  }

  get cost(): Cost {
    if (this.answered_at === null) return noCost
    const telephony = Number((Math.ceil(this.talked_ms / 60_000) * telephonyPerMinute).toFixed(6))
    const brain = Number(this.brain_cost.toFixed(6))
    return { amount: Number((telephony + brain).toFixed(6)), currency: "USD", parts: { telephony, brain } }
  }

  private add(entry: TranscriptEntry, called: Pick<Message, "tool_name" | "arguments"> = {}): void {
    const text = storableText(entry.text)
    if (this.transcript.length < mostEntries) this.transcript.push({ ...entry, text })
    this.history.push({
      role: entry.role,
      text,
      ...called,
      ...(entry.interrupted === true ? { interrupted: true } : {}),
    })
  }
}
