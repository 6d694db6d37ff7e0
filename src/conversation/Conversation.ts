/**
 * The talk on an answered call: one fiber that asks the conductor and executes its commands. It waits only for the
 * next event. Longer work runs in child fibers, which end with it.
 */
import { Effect, Exit, type Schema } from "effect"
import type { Brain, Briefing } from "../brain/Brain.ts"
import { hasBuiltIn } from "../catalog/AgentKit.ts"
import type { EndReason, ToolInvocation } from "../domain/Call.ts"
import type { HandoverFailure } from "../domain/Handover.ts"
import type { Line } from "../telephony/Telephony.ts"
import type { CallControls } from "../tools/CallControls.ts"
import { bounded } from "./Bounded.ts"
import { type CallRecord, type PersonOnCall, unheard } from "./CallRecord.ts"
import * as CommandRunner from "./CommandRunner.ts"
import * as Conductor from "./Conductor.ts"
import * as Mailbox from "./Mailbox.ts"
import * as Opening from "./Opening.ts"
import * as PastTalk from "./PastTalk.ts"
import * as Replies from "./Replies.ts"
import type { Setup } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"
import * as Timers from "./Timers.ts"

export interface HandOverOrder {
  readonly target: string
  /** What the caller needs, in the agent's words. */
  readonly reason: string
  /** The caller hears music until the person has taken the call. */
  readonly music: boolean
  /** The call is recorded. The person is told so, and what the two say is transcribed. */
  readonly is_recorded: boolean
  /** Run when the person has taken the call. */
  readonly bridged: Effect.Effect<void>
  /** Takes what the person says after that, with times in milliseconds of the caller's line. */
  readonly said: PersonOnCall["said"]
}

/** Calls a person and connects the caller. Returns null when that conversation is over, or why there was none. */
export type HandOver = (order: HandOverOrder) => Effect.Effect<HandoverFailure | null>

export interface Conversation {
  readonly line: Line
  readonly briefing: Briefing
  /** A phone was called, and a machine may take the call. */
  readonly meets_machines: boolean
  readonly record: CallRecord
  readonly invoke: (name: string, args: Schema.JsonObject, controls: CallControls) => Effect.Effect<ToolInvocation>
  /** Whether runs of the tool go on when the talk stops them (`ToolRuns`); undefined if none do. */
  readonly outlives?: ((name: string) => boolean) | undefined
  /** Hands the call over to a person; undefined if the line can only transfer it blindly. */
  readonly handOver?: HandOver | undefined
  /** Records that the called person wants no further call, for an agent that has no tool for it. */
  readonly suppress: Effect.Effect<void>
}

/**
 * The time limit of a tool, in real milliseconds. An HTTP tool can have its own limit; `wayMs` is added to it for the
 * network.
 */
const toolMs = 10_000
const wayMs = 1_000
/** The time limit of `collect_digits`. It is long because a caller who goes on talking may still press the keys. */
const collectionMs = 180_000
/** How long the line may take to drop its sound when the talk fails or is interrupted. */
const silencedWithin = "1 second"

/**
 * Conducts the talk and returns the reason of its end. If it is interrupted, the record has what was said and done
 * until then.
 */
export const hold = Effect.fn("Conversation.hold")(function* (
  talk: Conversation,
): Effect.fn.Return<EndReason, never, Brain> {
  const { line } = talk
  if (talk.briefing.prompt.disclosure !== "") talk.record.disclosure ??= unheard
  if (talk.meets_machines) talk.record.answered_by ??= { verdict: "unknown", evidence: [] }
  const mailbox = yield* Mailbox.make<TalkEvent>()
  const past = talk.record.goes_on ? PastTalk.from(talk.record) : undefined
  let state = Conductor.begin(setupOf(talk), past)
  const runner = yield* CommandRunner.make(talk, {
    post: mailbox.post,
    historyNow: () => Replies.settledHistoryOf(state),
  })
  yield* line.attach(mailbox.post)
  talk.record.whisper = (whisper) => mailbox.post({ _tag: "Whispered", ...whisper })
  const loop = Effect.gen(function* () {
    while (state.ended === null) {
      const due = Timers.next(state)
      const { at } = yield* line.moment
      const arrived = yield* mailbox.take((due.at - at) / line.speed)
      const moment = yield* line.moment
      // An event that the line reports only now happened before the deadline, so it is handled first.
      const event = arrived ?? (yield* mailbox.take(0))
      if (event === "overflow") {
        yield* Effect.logError("conversation mailbox overflowed")
        return "agent_error"
      }
      // A line's clock may not advance at once, so the wait continues. A clock of whole milliseconds may be a little
      // early: a deadline less than two real milliseconds away counts as reached.
      if (event === null && due.at - moment.at > line.speed * 2) continue
      const now = event === null ? { ...moment, at: Math.max(moment.at, due.at) } : moment
      const [next, commands] = Conductor.step(state, event ?? { _tag: "Due", timer: due.timer }, now)
      state = next
      yield* runner.execute(commands)
    }
    return state.ended
  })
  return yield* loop.pipe(
    Effect.onExit((exit) =>
      Effect.gen(function* () {
        talk.record.whisper = null
        yield* runner.stop
        const moment = yield* line.moment
        // Another process says the whole reply again, so the half that was said is not kept.
        if (!talk.record.is_moving) yield* runner.execute(Conductor.close(state, moment))
        if (Exit.isFailure(exit)) yield* bounded(silencedWithin, "silence on the line")(line.cut)
      }),
    ),
  )
})

const setupOf = ({ briefing, handOver, line, meets_machines, record }: Conversation): Setup => {
  const { kit, prompt } = briefing
  const { agent } = kit
  const limits = new Map(
    kit.tools.map(({ implementation_config, implementation_type, is_default, name }) => {
      if (is_default && name === "collect_digits") return [name, collectionMs]
      const { timeout_ms } = implementation_config
      const own = implementation_type === "http" && typeof timeout_ms === "number" ? timeout_ms + wayMs : toolMs
      return [name, own]
    }),
  )
  // On a line that reports no keys, the sentence would name a key that has no effect.
  const opt_out_key = meets_machines && line.hearsKeys === true ? agent.opt_out_key : null
  return {
    greeting: prompt.first_message,
    disclosure: prompt.disclosure,
    notice: [
      Opening.keySentenceOf({ language: agent.language, opt_out_key }),
      record.recording === null ? "" : agent.recording_notice.trim(),
    ]
      .filter((sentence) => sentence !== "")
      .join(" "),
    opt_out_key,
    interruptible: agent.interruptible,
    language: agent.language,
    silence_ms: agent.silence_timeout_seconds * 1_000,
    max_ms: agent.max_call_seconds * 1_000,
    leaves_message: agent.voicemail_action === "leave_message",
    meets_machines,
    has_voicemail_tool: hasBuiltIn(kit, "leave_voicemail"),
    has_keys: hasBuiltIn(kit, "send_dtmf"),
    has_tools: kit.tools.length > 0,
    hands_over: handOver !== undefined,
    tool_ms: (name) => limits.get(name) ?? toolMs,
    speed: line.speed,
    manners: line.manners,
    has_voice_model: line.modelVoice !== undefined,
  }
}
