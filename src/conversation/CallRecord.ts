/**
 * The record of a live call: words, tools, turns, findings. It is written at the call's end, so that an interrupted
 * call keeps what was said on it, and also while the call lives (`LiveWords`).
 */
import type { Schema } from "effect"
import type { VersionAuthor } from "../domain/AgentVersion.ts"
import type { AnsweredBy, AnsweredByEvidence } from "../domain/AnsweredBy.ts"
import {
  type Cost,
  noCost,
  type Outcome,
  type ToolInvocation,
  type TranscriptEntry,
  type Turn,
} from "../domain/Call.ts"
import type { Carrier } from "../domain/PhoneNumber.ts"
import { storableText } from "../domain/JsonValue.ts"
import type { SoundFigures } from "../domain/SoundFigures.ts"
import type { TakeoverRefusal } from "../domain/Takeover.ts"
import type { Whispered } from "../domain/Whisper.ts"
import type { LiveRecording } from "../recording/Recorder.ts"
import type { Line } from "../telephony/Telephony.ts"
import type { PersonLeft } from "./TalkEvent.ts"
import { CollectedDigits } from "../tools/CollectedDigits.ts"

/** The maximum number of entries. A call of four hours with one answer a second stays below it. */
const mostEntries = 20_000

/** In place of what was said while the recording was paused, such as a card number. */
const notKept = "[not kept: the recording was paused]"

/** The first signs decide; a long screening has no need of more. */
const mostEvidence = 10

/** Dollars per begun minute of phone time: an invented tariff, close to carriers' prices in the US. */
const telephonyPerMinute = 0.014

/** How many entries of each list exist so far. */
interface Extent {
  readonly transcript: number
  readonly tool_invocations: number
  readonly turns: number
}

const nothing: Extent = { transcript: 0, tool_invocations: 0, turns: 0 }

/** A supervisor who wants to talk in the agent's place. Each function returns at once. */
export interface TakingPerson {
  readonly by: VersionAuthor
  readonly refuse: (why: TakeoverRefusal) => void
  /** The agent is silent from now on: the person's sound is to be connected with the line. */
  readonly connect: () => void
  /** The agent has taken the call back, or the call has ended: it is to be disconnected. */
  readonly over: (why: "agent" | "call") => void
}

/** What a person who talks in the agent's place tells the talk. Times are milliseconds of the line. */
export interface PersonOnCall {
  readonly said: (said: { readonly text: string; readonly started_ms: number; readonly ended_ms: number }) => void
  readonly leave: (how: PersonLeft) => void
}

export class CallRecord {
  answered_at: Date | null = null
  /** Phone time from answer to end. */
  talked_ms = 0
  /** Seconds of phone time that passed in one second (`LAB_SPEED`). */
  speed = 1
  /** A machine took the call. */
  machine = false
  /** The telephone network answered in place of the called number. */
  unreached: "no_answer" | "invalid_number" | null = null
  /** Null where no phone was called. */
  answered_by: AnsweredBy | null = null
  /** Null where Parley does not carry the packets. */
  sound: SoundFigures | null = null
  /** What the call goes over; null for rehearsals and calls that another process conducted. */
  carrier: Carrier | "web" | null = null
  /** The other side talks with a person to whom the call was handed over. */
  is_bridged = false
  /** The call was placed to hand another one over. */
  is_transfer = false
  /** A machine recorded the agent's message. */
  message_left = false
  opted_out = false
  outcome: Schema.JsonObject | null = null
  callback: Schema.JsonObject | null = null
  readonly transcript: Array<TranscriptEntry> = []
  readonly tool_invocations: Array<ToolInvocation> = []
  readonly turns: Array<Turn> = []
  /** The recording in progress; null if the call is not recorded. */
  recording: LiveRecording | null = null
  /** Numbers that the caller pressed; they are never written. Null in a rehearsal, whose tools may be stand-ins. */
  digits: CollectedDigits | null = new CollectedDigits()
  /** Ids of invocations that pause the recording themselves, and have nothing of what was said or pressed. */
  readonly wordless = new Set<string>()
  /** The sound may have digits that are being collected: listeners do not hear it. */
  is_private = false
  /** When the agent's `max_call_seconds` end the call; null before it is answered. */
  ends_at: Date | null = null
  /** The line, while it is talked on. */
  line: Line | null = null
  /** Tells the agent a supervisor's instruction, while the talk takes any. */
  whisper: ((whisper: Whispered) => void) | null = null
  /** Lets a supervisor take the call over, while the talk can be taken over; null if another one has it. */
  takeOver: ((person: TakingPerson) => PersonOnCall | null) | null = null
  /** The cost of models in US dollars. */
  brain_cost = 0
  /** Another process conducted the call: its row has everything that is known of the words. */
  words_in_row = false
  /** How many entries of each list are already in the row. */
  private kept: Extent = nothing

  /** Words of which any part was said while the recording was paused are not kept. */
  spoke(role: "agent" | "caller" | "person", { text, ...entry }: Omit<TranscriptEntry, "role">): void {
    const isKept = this.recording?.wasPaused(entry.started_ms, entry.ended_ms) !== true
    this.add({ ...entry, role, text: isKept ? text : notKept })
  }

  answeredBy(verdict: AnsweredBy["verdict"], sign: AnsweredByEvidence): void {
    const evidence = this.answered_by?.evidence ?? []
    this.answered_by = { verdict, evidence: evidence.length < mostEvidence ? [...evidence, sign] : evidence }
  }

  /** The network said before any answer why the call cannot be completed. */
  announced(answered_by: AnsweredBy, outcome: Outcome): void {
    this.answered_by = answered_by
    if (outcome === "invalid_number" || outcome === "no_answer") this.unreached = outcome
  }

  /** A tool that was invoked while the recording was paused may have been told what was said: its name alone is kept. */
  invoked(done: ToolInvocation, elapsed: number): void {
    const isKept = this.wordless.has(done.id) || this.recording?.wasPaused(elapsed - done.duration_ms, elapsed) !== true
    const invocation = isKept ? done : withoutContent(done)
    this.tool_invocations.push(invocation)
    const text = JSON.stringify(invocation.error === undefined ? invocation.result : { error: invocation.error })
    this.add({
      role: "tool",
      text,
      at: invocation.started_at,
      started_ms: elapsed,
      ended_ms: elapsed,
      tool_invocation_id: invocation.id,
      tool_name: invocation.tool_name,
    })
  }

  whispered(text: string, by: VersionAuthor, elapsed: number, at: Date): void {
    this.add({ role: "whisper", text, by, at, started_ms: elapsed, ended_ms: elapsed })
  }

  get result(): Schema.JsonObject | null {
    if (this.callback === null) return this.outcome
    return { ...this.outcome, callback: this.callback }
  }

  private get extent(): Extent {
    const { tool_invocations, transcript, turns } = this
    return { transcript: transcript.length, tool_invocations: tool_invocations.length, turns: turns.length }
  }

  get hasNews(): boolean {
    const { extent, kept } = this
    return (
      extent.transcript > kept.transcript ||
      extent.tool_invocations > kept.tool_invocations ||
      extent.turns > kept.turns
    )
  }

  /** The part that the row does not have yet, and the position where it begins. */
  get news() {
    const { kept: from } = this
    const words = {
      transcript: this.transcript.slice(from.transcript),
      tool_invocations: this.tool_invocations.slice(from.tool_invocations),
      turns: this.turns.slice(from.turns),
      result: this.result,
      cost: this.cost,
      answered_by: this.answered_by,
    }
    return { from, to: this.extent, words }
  }

  /** The row has it up to here. */
  keep(extent: Extent): void {
    this.kept = extent
  }

  get cost(): Cost {
    if (this.answered_at === null) return noCost
    const telephony = Number((Math.ceil(this.talked_ms / 60_000) * telephonyPerMinute).toFixed(6))
    const brain = Number(this.brain_cost.toFixed(6))
    return { amount: Number((telephony + brain).toFixed(6)), currency: "USD", parts: { telephony, brain } }
  }

  private add(entry: TranscriptEntry): void {
    if (this.transcript.length >= mostEntries) return
    this.transcript.push({ ...entry, text: storableText(entry.text) })
  }
}

const withoutContent = ({ error, ...done }: ToolInvocation): ToolInvocation => ({
  ...done,
  arguments: notKept,
  ...(error === undefined ? { result: notKept } : { error: { code: error.code, message: notKept } }),
})
