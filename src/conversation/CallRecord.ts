/**
 * The record of a live call: words, tools, turns, findings. It is written when the call ends, also if the call was
 * interrupted, and in parts while the call lives (`LiveWords`).
 */
import type { Schema } from "effect"
import type { VersionAuthor } from "../domain/AgentVersion.ts"
import type { AnsweredBy, AnsweredByEvidence } from "../domain/AnsweredBy.ts"
import {
  type Cost,
  noCost,
  notKept,
  type Outcome,
  type ToolInvocation,
  type TranscriptEntry,
  type Turn,
} from "../domain/Call.ts"
import { microsFrom } from "../domain/Money.ts"
import type { CallOptOut } from "../domain/CallOptOut.ts"
import { type CallDisposition, makeDisposition } from "../domain/CallDisposition.ts"
import type { Disclosure } from "../domain/Disclosure.ts"
import type { Disposition } from "../domain/Disposition.ts"
import type { Carrier } from "../domain/PhoneNumber.ts"
import type { LostCost } from "../domain/LostCall.ts"
import { costOf, type Tariff, type Used } from "../domain/PriceList.ts"
import { isObject, storableText } from "../domain/JsonValue.ts"
import type { SoundFigures } from "../domain/SoundFigures.ts"
import type { TakeoverRefusal } from "../domain/Takeover.ts"
import type { Whispered } from "../domain/Whisper.ts"
import type { LiveRecording } from "../recording/Recorder.ts"
import type { Line } from "../telephony/Telephony.ts"
import type { PersonLeft } from "./TalkEvent.ts"
import { CollectedDigits } from "../tools/CollectedDigits.ts"

/** The maximum number of entries. A call of four hours with one answer a second stays below it. */
const mostEntries = 20_000

/** The most signs that are kept as evidence: the first ones, and the last, on which the verdict rests. */
const mostEvidence = 10

/**
 * US dollars per begun minute of phone time of an installation without a price list: an invented tariff, close to
 * carriers' prices in the US.
 */
const telephonyPerMinute = 0.014

/** The disclosure is to be said, and no person has heard any of it. */
export const unheard: Disclosure = { heard_at: null, heard_ms: null, heard_ratio: 0 }

/** How many entries of each list exist so far. */
interface Extent {
  readonly transcript: number
  readonly tool_invocations: number
  readonly turns: number
}

const nothing: Extent = { transcript: 0, tool_invocations: 0, turns: 0 }

/** What the row of a live call has of its talk. */
export interface WrittenTalk {
  readonly answered_at: Date | null
  readonly transcript: ReadonlyArray<TranscriptEntry>
  readonly tool_invocations: ReadonlyArray<ToolInvocation>
  readonly turns: ReadonlyArray<Turn>
  readonly result: Schema.JsonObject | null
  readonly cost: Cost
}

/** A supervisor who wants to talk in the agent's place. Each function returns at once. */
export interface TakingPerson {
  readonly by: VersionAuthor
  readonly refuse: (why: TakeoverRefusal) => void
  /** Connects the person's sound with the line. The agent is silent from now on. */
  readonly connect: () => void
  /** Disconnects the person: the agent has taken the call back, or the call has ended. */
  readonly over: (why: "agent" | "call") => void
}

/** How the person who talks in the agent's place reports to the talk. Times are milliseconds of the line. */
export interface PersonOnCall {
  readonly said: (said: { readonly text: string; readonly started_ms: number; readonly ended_ms: number }) => void
  readonly leave: (how: PersonLeft) => void
}

export class CallRecord {
  answered_at: Date | null = null
  /** Milliseconds of phone time from the answer to the end. */
  talked_ms = 0
  /** Seconds of phone time in one real second (`LAB_SPEED`). */
  speed = 1
  /** A machine took the call. */
  machine = false
  /** The telephone network answered in place of the called number. */
  unreached: "no_answer" | "invalid_number" | null = null
  /** Null if no phone was called. */
  answered_by: AnsweredBy | null = null
  /** Null if Parley does not carry the packets. */
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
  /** How the other side asked not to be called again; null if it did not. */
  opt_out: CallOptOut | null = null
  /** Null if the agent has no disclosure. */
  disclosure: Disclosure | null = null
  outcome: Schema.JsonObject | null = null
  /** The agent's last choice; null if it has made none. */
  disposition: CallDisposition | null = null
  callback: Schema.JsonObject | null = null
  readonly transcript: Array<TranscriptEntry> = []
  readonly tool_invocations: Array<ToolInvocation> = []
  readonly turns: Array<Turn> = []
  /** The recording in progress; null if the call is not recorded. */
  recording: LiveRecording | null = null
  /** Numbers that the caller pressed; they are never written. Null in a rehearsal, whose tools may be stand-ins. */
  digits: CollectedDigits | null = new CollectedDigits()
  /** Ids of tool invocations that pause the recording themselves. They contain nothing that was said or pressed. */
  readonly wordless = new Set<string>()
  /** The sound may contain digits that are being collected, so listeners do not hear it. */
  is_private = false
  /** When the agent's `max_call_seconds` end the call; null before it is answered. */
  ends_at: Date | null = null
  /** The line while the talk lasts; null before and after it. */
  line: Line | null = null
  /** Gives the agent a supervisor's instruction; null while the talk accepts none. */
  whisper: ((whisper: Whispered) => void) | null = null
  /**
   * Lets a supervisor take the call over; null while the talk cannot be taken over. Returns null if another person has
   * it.
   */
  takeOver: ((person: TakingPerson) => PersonOnCall | null) | null = null
  /** The cost of models in US dollars. */
  brain_cost = 0
  /** The prices of this call; null without a price list, and for rehearsals. */
  tariff: Tariff | null = null
  /** Parley's recogniser and voice take part: the line has sound, and no voice model hears and speaks itself. */
  uses_speech = false
  /** Characters that the agent spoke, also those of words that are not kept. */
  private spoken_characters = 0
  /** Another process conducted the call, so the call's row already has everything that is known of the words. */
  words_in_row = false
  /**
   * What is known of the cost of such a call; null if it is not known how long the call lasted, or without a price
   * list.
   */
  lost_cost: LostCost | null = null
  /** Another process began the talk, and this record has what was said and done there (`continueFrom`). */
  goes_on = false
  /** Another process will go on with the talk. */
  is_moving = false
  /** Called at once for every new entry. Null if the words are written once a second (`LiveWords`). */
  changed: (() => void) | null = null
  /** How many entries of each list are already in the row. */
  private kept: Extent = nothing

  /** Takes what another process has written of the talk. The entries are in the row already. */
  continueFrom({ answered_at, cost, result, tool_invocations, transcript, turns }: WrittenTalk): void {
    const { callback = null, ...outcome } = result ?? {}
    this.goes_on = true
    this.answered_at = answered_at
    this.brain_cost = cost.parts["brain"] ?? 0
    this.callback = isObject(callback) ? callback : null
    this.outcome = Object.keys(outcome).length === 0 ? null : outcome
    this.transcript.push(...transcript)
    this.tool_invocations.push(...tool_invocations)
    this.turns.push(...turns)
    for (const { role, text } of transcript) if (role === "agent") this.spoken_characters += text.length
    this.kept = this.extent
  }

  /** Adds an utterance. Its words are not kept if any part of it was said while the recording was paused. */
  spoke(role: "agent" | "caller" | "person", { text, ...entry }: Omit<TranscriptEntry, "role">): void {
    const isKept = this.recording?.wasPaused(entry.started_ms, entry.ended_ms) !== true
    if (role === "agent") this.spoken_characters += text.length
    this.add({ ...entry, role, text: isKept ? text : notKept })
  }

  answeredBy(verdict: AnsweredBy["verdict"], sign: AnsweredByEvidence): void {
    const evidence = this.answered_by?.evidence ?? []
    // A machine that is known late may have heard the disclosure.
    if (verdict !== "person" && this.disclosure !== null) this.disclosure = unheard
    this.answered_by = { verdict, evidence: [...evidence.slice(0, mostEvidence - 1), sign] }
  }

  /** The first sign of a wish not to be called counts. The tool that then writes the wish is another sign. */
  wantsNoCalls(opt_out: CallOptOut): void {
    this.opted_out = true
    this.opt_out ??= opt_out
  }

  /** Notes what was heard of the disclosure. What a machine heard of it does not count. */
  disclosed(disclosure: Disclosure): void {
    const verdict = this.answered_by?.verdict ?? "unknown"
    this.disclosure = verdict === "person" || verdict === "unknown" ? disclosure : unheard
  }

  /** Keeps the result of the call, as the agent recorded it. */
  recorded(outcome: Schema.JsonObject, disposition: Disposition | null, at: Date): void {
    this.outcome = outcome
    this.disposition = disposition === null ? null : makeDisposition(disposition, { source: "agent", by: null, at })
  }

  /** The network said, before the call was answered, why it cannot be completed. */
  announced(answered_by: AnsweredBy, outcome: Outcome): void {
    this.answered_by = answered_by
    if (outcome === "invalid_number" || outcome === "no_answer") this.unreached = outcome
  }

  /**
   * Adds a tool invocation. If it ran while the recording was paused, it may contain what was said, so its arguments
   * and its result are not kept.
   */
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

  took(turn: Turn, cost: number): void {
    this.turns.push(turn)
    this.brain_cost += cost
    this.changed?.()
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

  /** The entries that the row does not have yet, and the positions where they begin and end. */
  get news() {
    const { kept: from } = this
    const words = {
      transcript: this.transcript.slice(from.transcript),
      tool_invocations: this.tool_invocations.slice(from.tool_invocations),
      turns: this.turns.slice(from.turns),
      result: this.result,
      cost: this.cost,
      answered_by: this.answered_by,
      disclosure: this.disclosure,
      disposition: this.disposition,
      opt_out: this.opt_out,
    }
    return { from, to: this.extent, words }
  }

  /** Call it when the row has the entries up to `extent`. */
  keep(extent: Extent): void {
    this.kept = extent
  }

  get cost(): Cost {
    if (this.answered_at === null) return noCost
    if (this.tariff !== null) return costOf(this.tariff, this.used)
    const telephony = Number((Math.ceil(this.talked_ms / 60_000) * telephonyPerMinute).toFixed(6))
    const brain = Number(this.brain_cost.toFixed(6))
    return { amount: Number((telephony + brain).toFixed(6)), currency: "USD", parts: { telephony, brain } }
  }

  private get used(): Used {
    return {
      talked_ms: this.talked_ms,
      brain: microsFrom(this.brain_cost),
      models: this.turns.flatMap(({ model }) => model ?? []),
      characters: this.uses_speech ? this.spoken_characters : null,
    }
  }

  private add(entry: TranscriptEntry): void {
    if (this.transcript.length >= mostEntries) return
    this.transcript.push({ ...entry, text: storableText(entry.text) })
    this.changed?.()
  }
}

/** The invocation without its arguments and its result, which may contain what was said while the recording was paused. */
export const withoutContent = ({ error, ...done }: ToolInvocation): ToolInvocation => ({
  ...done,
  arguments: notKept,
  ...(error === undefined ? { result: notKept } : { error: { code: error.code, message: notKept } }),
})
