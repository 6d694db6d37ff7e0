/**
 * The talk on an answered call: one fiber that asks the conductor and executes its commands. It waits only for the next
 * event: longer work runs beside it and ends with it.
 */
import { Clock, Effect, Exit, type Schema, Semaphore } from "effect"
import type { Brain, Briefing } from "../brain/Brain.ts"
import type { EndReason, ToolInvocation } from "../domain/Call.ts"
import type { Line } from "../telephony/Telephony.ts"
import type { CallControls } from "../tools/CallControls.ts"
import { bounded, makeWorkers } from "./Bounded.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { Command } from "./Command.ts"
import * as Conductor from "./Conductor.ts"
import * as Mailbox from "./Mailbox.ts"
import * as ReplySlot from "./ReplySlot.ts"
import type { Setup } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"
import * as Timers from "./Timers.ts"
import * as ToolRuns from "./ToolRuns.ts"

export interface Conversation {
  readonly line: Line
  readonly briefing: Briefing
  readonly record: CallRecord
  readonly invoke: (name: string, args: Schema.JsonObject, controls: CallControls) => Effect.Effect<ToolInvocation>
  /** Writes that the called person wants no further call, for an agent that has no tool for it. */
  readonly suppress: Effect.Effect<void>
}

/** A built-in tool's time; an http tool has a time of its own, plus some for the network. */
const toolMs = 10_000
const wayMs = 1_000
/** For the line to drop its sound when the talk ends. */
const silencedWithin = "1 second"

/** Returns the reason of the end. Interrupted at any moment, the record has what was said and done until then. */
export const hold = Effect.fn("Conversation.hold")(function* (
  talk: Conversation,
): Effect.fn.Return<EndReason, never, Brain> {
  const { briefing, line, record } = talk
  const workers = makeWorkers()
  const mailbox = yield* Mailbox.make<TalkEvent>()
  const { post } = mailbox
  const answeredAt = yield* Clock.currentTimeMillis
  const tools = ToolRuns.make({
    workers,
    post,
    invoke: talk.invoke,
    controlsOf: (call) => controls(talk, (order) => post({ _tag: "Ordered", call, order })),
    keep: (invocation) => Effect.map(line.moment, ({ at }) => record.invoked(invocation, at)),
  })
  let room = Semaphore.makeUnsafe(0)
  let thinking = 0

  const does = (command: Command): Effect.Effect<void, never, Brain> => {
    switch (command._tag) {
      case "Play":
        return line.play(command.piece)
      case "Yield":
        return line.yield
      case "Hold":
        return line.hold
      case "Resume":
        return line.resume
      case "Cut":
        return line.cut
      case "Think": {
        const { history, model, must_speak, reply, step, wrap_up } = command
        room = Semaphore.makeUnsafe(command.room)
        thinking = reply
        const turn = { briefing, history, must_speak, model, wrap_up }
        return workers.run("brain", ReplySlot.think({ reply, step, turn, room, post }))
      }
      case "StopThinking":
        return workers.stop("brain")
      case "MakeRoom":
        return command.reply === thinking ? Effect.asVoid(room.release(1)) : Effect.void
      case "RunTool":
        return tools.run(command.id, command.call)
      case "StopTool":
        return tools.stop(command.id, command.answer)
      case "OptOut":
        return workers.run(
          "opt_out",
          Effect.ensuring(
            optOut(talk),
            Effect.sync(() => post({ _tag: "OptedOut" })),
          ),
        )
      case "Transfer":
        return workers.run(
          "transfer",
          Effect.map(line.transfer(command.target), (ok) => post({ _tag: "Transferred", ok })),
        )
      case "Note":
        return Effect.sync(() => {
          const { role, ...spoken } = command.spoken
          record.spoke(role, { ...spoken, at: new Date(answeredAt + spoken.started_ms / line.speed) })
        })
      case "NoteTurn":
        return Effect.sync(() => {
          record.turns.push(command.turn)
          record.brain_cost += command.cost
        })
      case "NoteMachine":
        return Effect.sync(() => void (record.machine = true))
      case "NoteMessageLeft":
        return Effect.sync(() => void (record.message_left = true))
      case "End":
        return Effect.void
    }
  }
  const all = (commands: ReadonlyArray<Command>) => Effect.forEach(commands, does, { discard: true })

  yield* line.attach(post)
  let state = Conductor.begin(setupOf(talk))
  const loop = Effect.gen(function* () {
    while (state.ended === null) {
      const due = Timers.next(state)
      const { at } = yield* line.moment
      const arrived = yield* mailbox.take((due.at - at) / line.speed)
      const moment = yield* line.moment
      // An event that the line reports only now happened before the time was over.
      const event = arrived ?? (yield* mailbox.take(0))
      if (event === "overflow") {
        yield* Effect.logError("conversation mailbox overflowed")
        return "agent_error"
      }
      // A line's clock may stand still; one of whole milliseconds may be a little early.
      if (event === null && due.at - moment.at > line.speed * 2) continue
      const now = event === null ? { ...moment, at: Math.max(moment.at, due.at) } : moment
      const [next, commands] = Conductor.step(state, event ?? { _tag: "Due", timer: due.timer }, now)
      state = next
      yield* all(commands)
    }
    return state.ended
  })
  return yield* loop.pipe(
    Effect.onExit((exit) =>
      Effect.gen(function* () {
        yield* tools.stopAll
        yield* workers.stopAll
        const moment = yield* line.moment
        yield* all(Conductor.close(state, moment))
        if (Exit.isFailure(exit)) yield* bounded(silencedWithin, "silence on the line")(line.cut)
      }),
    ),
  )
})

const setupOf = ({ briefing, line }: Conversation): Setup => {
  const { kit, prompt } = briefing
  const { agent } = kit
  const limits = new Map(
    kit.tools.map(({ implementation_config, implementation_type, name }) => {
      const { timeout_ms } = implementation_config
      const own = implementation_type === "http" && typeof timeout_ms === "number" ? timeout_ms + wayMs : toolMs
      return [name, own]
    }),
  )
  return {
    greeting: prompt.first_message,
    interruptible: agent.interruptible,
    language: agent.language,
    silence_ms: agent.silence_timeout_seconds * 1_000,
    max_ms: agent.max_call_seconds * 1_000,
    leaves_message: agent.voicemail_action === "leave_message",
    has_voicemail_tool: has(briefing, "leave_voicemail"),
    has_tools: kit.tools.length > 0,
    tool_ms: (name) => limits.get(name) ?? toolMs,
    speed: line.speed,
    written: line.written,
    ...(line.manners === undefined ? {} : { manners: line.manners }),
  }
}

const has = ({ kit }: Briefing, tool: string) => kit.tools.some(({ is_default, name }) => is_default && name === tool)

/** Written before it is confirmed, and once more with the call's end. */
const optOut = Effect.fnUntraced(
  function* ({ briefing, invoke, line, record, suppress }: Conversation) {
    record.opted_out = true
    if (has(briefing, "add_to_do_not_call")) {
      const done = yield* invoke(
        "add_to_do_not_call",
        {},
        controls({ line, record }, () => {}),
      )
      record.invoked(done, (yield* line.moment).at)
      if (done.error === undefined) return
    }
    yield* suppress
  },
  Effect.catchCause((cause) =>
    Effect.logWarning("writing an opt-out failed; it will be written with the end of the call", cause),
  ),
)

const controls = (
  { line, record }: Pick<Conversation, "line" | "record">,
  order: (order: Extract<TalkEvent, { readonly _tag: "Ordered" }>["order"]) => void,
): CallControls => ({
  end: () => Effect.sync(() => order({ _tag: "End" })),
  transfer: (target) => Effect.sync(() => order({ _tag: "Transfer", target })),
  sendDigits: line.sendDigits,
  leaveVoicemail: (text) => Effect.sync(() => order({ _tag: "Message", text })),
  recordOutcome: (fields) => Effect.sync(() => void (record.outcome = fields)),
  noteCallback: (callback) => Effect.sync(() => void (record.callback = callback)),
  optOut: Effect.sync(() => void (record.opted_out = true)),
})
