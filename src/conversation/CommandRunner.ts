/**
 * Executes the conductor's commands: on the line, with the brain, with tools, and in the record. Commands that take
 * time run in other fibers and post their results as events.
 */
import { Clock, Effect } from "effect"
import type { Brain, Message } from "../brain/Brain.ts"
import { hasBuiltIn } from "../catalog/AgentKit.ts"
import type { VersionAuthor } from "../domain/AgentVersion.ts"
import { failureSentences } from "../domain/Handover.ts"
import { type CallControls, none } from "../tools/CallControls.ts"
import { makeWorkers } from "./Bounded.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { Command } from "./Command.ts"
import type { Conversation, HandOverOrder } from "./Conversation.ts"
import * as DigitCollections from "./DigitCollections.ts"
import * as ModelTalk from "./ModelTalk.ts"
import * as PersonSlot from "./PersonSlot.ts"
import * as ReplySlot from "./ReplySlot.ts"
import type { TalkEvent } from "./TalkEvent.ts"
import * as ToolRuns from "./ToolRuns.ts"

/** The commands that the line itself executes. */
const orders = { Yield: "yield", Hold: "hold", Resume: "resume", Cut: "cut" } as const

interface Around {
  readonly post: (event: TalkEvent) => void
  /** What was said and done until now. */
  readonly historyNow: () => ReadonlyArray<Message>
}

/** Call it when the call is answered: the times in the record count from that moment. */
export const make = Effect.fnUntraced(function* (talk: Conversation, { historyNow, post }: Around) {
  const { briefing, line, record } = talk
  const answeredAt = yield* beginningOf(record)
  const workers = makeWorkers()
  const digits = DigitCollections.make({ workers, line, record, post })
  const tools = ToolRuns.make({
    workers,
    post,
    talk,
    controlsOf: (call) => controls(talk, (order) => post({ _tag: "Ordered", call, order }), digits.controlOf(call)),
    complete: digits.complete,
    goesOn: () => record.is_moving,
    keep: (invocation) => Effect.map(line.moment, ({ at }) => record.invoked(invocation, at)),
  })
  const persons = PersonSlot.make(record, post)
  const replies = yield* makeReplies({ workers, post, briefing, historyNow, line, record })

  const optedOut = Effect.sync(() => post({ _tag: "OptedOut" }))
  const momentOf = (ms: number) => new Date(answeredAt + ms / line.speed)

  const execute = (command: Command): Effect.Effect<void, never, Brain> => {
    switch (command._tag) {
      case "Play":
        return line.play(command.piece)
      case "Yield":
      case "Hold":
      case "Resume":
      case "Cut":
        return line[orders[command._tag]]
      case "Think":
      case "StopThinking":
      case "MakeRoom":
      case "Forget":
      case "Reword":
        return replies(command)
      case "RunTool":
        return tools.run(command.id, command.call)
      case "StopTool":
        return tools.stop(command.id, command.answer)
      case "Collected":
      case "SetPrivate":
        return digits.execute(command)
      case "OptOut":
        // The talk may end before the fiber begins.
        record.wantsNoCalls({ by: command.by, at: momentOf(command.at_ms), at_ms: command.at_ms })
        return workers.run("opt_out", Effect.ensuring(optOut(talk), optedOut))
      case "Transfer":
        return workers.run("transfer", transfer(talk, command, post))
      case "RefusePerson":
      case "ConnectPerson":
      case "ReleasePerson":
        return Effect.sync(() => persons.execute(command))
      case "End":
        return Effect.void
      default:
        return Effect.sync(() => note(record, command, momentOf, persons.by()))
    }
  }

  return {
    execute: (commands: ReadonlyArray<Command>) => Effect.forEach(commands, execute, { discard: true }),
    /** Stops everything that still runs. Each tool that did not finish gets a record that says so. */
    stop: Effect.sync(persons.stop).pipe(Effect.andThen(tools.stopAll), Effect.andThen(workers.stopAll)),
  }
})

/** When the call was answered: now, or in another process from which the talk goes on. */
const beginningOf = ({ answered_at, goes_on }: CallRecord) =>
  Effect.map(Clock.currentTimeMillis, (now) => (goes_on && answered_at !== null ? answered_at.getTime() : now))

/** Asks the voice model for replies while it is available, and otherwise the brain. */
const makeReplies = Effect.fnUntraced(function* (parts: ModelTalk.Parts) {
  const inText = ReplySlot.make(parts)
  const model = yield* ModelTalk.make(parts)
  const answering = () => (model?.isThere() === true ? model : inText)
  return (command: Extract<Command, { readonly _tag: ReplyTag }>): Effect.Effect<void, never, Brain> => {
    switch (command._tag) {
      case "Think":
        return answering().think(command)
      case "StopThinking":
        return answering().stop
      case "MakeRoom":
        return inText.makeRoom(command.reply)
      case "Forget":
      case "Reword":
        return Effect.sync(() => model?.execute(command))
    }
  }
})

type ReplyTag = "Think" | "StopThinking" | "MakeRoom" | "Forget" | "Reword"

/** Posts `Bridged` when a person has taken the call, and `Transferred` when the transfer has ended. */
const transfer = (
  { handOver, line, record }: Conversation,
  { target, warm }: Extract<Command, { readonly _tag: "Transfer" }>,
  post: (event: TalkEvent) => void,
) => {
  if (warm === null || handOver === undefined) {
    return Effect.map(line.transfer(target), (ok) => post({ _tag: "Transferred", ok }))
  }
  const bridged = Effect.sync(() => {
    record.is_bridged = true
    post({ _tag: "Bridged" })
  })
  const said: HandOverOrder["said"] = (said) => post({ _tag: "PersonSaid", ...said })
  const is_recorded = record.recording !== null
  return handOver({ target, ...warm, is_recorded, bridged, said }).pipe(
    Effect.catchDefect((defect) => Effect.as(Effect.logError("a warm transfer failed", defect), "failed" as const)),
    Effect.map((failure) =>
      post(
        failure === null
          ? { _tag: "Transferred", ok: true }
          : { _tag: "Transferred", ok: false, why: failureSentences[failure] },
      ),
    ),
  )
}

/** `momentOf` turns a moment of the talk, in milliseconds of phone time, into a date. */
const note = (
  record: CallRecord,
  command: Extract<Command, { readonly _tag: `Note${string}` }>,
  momentOf: (ms: number) => Date,
  /** The supervisor who talks in the agent's place. */
  by: VersionAuthor | undefined,
): void => {
  switch (command._tag) {
    case "Note": {
      const { role, ...spoken } = command.spoken
      const who = role === "person" && by !== undefined ? { by } : {}
      return record.spoke(role, { ...spoken, ...who, at: momentOf(spoken.started_ms) })
    }
    case "NoteWhisper": {
      const { at_ms, by, text } = command
      return record.whispered(text, by, at_ms, momentOf(at_ms))
    }
    case "NoteTurn":
      return record.took(command.turn, command.cost)
    case "NoteAnsweredBy":
      return record.answeredBy(command.verdict, command.evidence)
    case "NoteMachine":
      record.machine = true
      return
    case "NoteUnreached":
      record.unreached = command.outcome
      return
    case "NoteMessageLeft":
      record.message_left = true
      return
    case "NoteOptOut":
      return record.wantsNoCalls({ by: command.by, at: momentOf(command.at_ms), at_ms: command.at_ms })
    case "NoteDisclosure": {
      const { heard_ms, heard_ratio } = command
      return record.disclosed({ heard_at: heard_ms === null ? null : momentOf(heard_ms), heard_ms, heard_ratio })
    }
    case "NoteAnnounced":
      record.recording?.recordBoth()
  }
}

/** Writes the opt-out before the agent confirms it. It is written once more when the call ends. */
const optOut = Effect.fnUntraced(
  function* (talk: Conversation) {
    const { briefing, invoke, line, record, suppress } = talk
    if (hasBuiltIn(briefing.kit, "add_to_do_not_call")) {
      const done = yield* invoke(
        "add_to_do_not_call",
        {},
        controls(talk, () => {}),
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
  { briefing, line, record }: Pick<Conversation, "briefing" | "line" | "record">,
  order: (order: Extract<TalkEvent, { readonly _tag: "Ordered" }>["order"]) => void,
  collectDigits = none.collectDigits,
): CallControls => ({
  end: () => Effect.sync(() => order({ _tag: "End" })),
  transfer: (target, warm) => Effect.sync(() => order({ _tag: "Transfer", target, warm })),
  sendDigits: line.sendDigits,
  collectDigits,
  switchLanguage: (language, voice) =>
    Effect.andThen(
      line.changeSpeech?.({ language, voice: { ...briefing.kit.agent.voice, ...voice } }) ?? Effect.void,
      Effect.sync(() => order({ _tag: "Language", language })),
    ),
  leaveVoicemail: (text) => Effect.sync(() => order({ _tag: "Message", text })),
  pauseRecording: (isPaused) =>
    record.recording === null ? Effect.succeed(false) : Effect.as(record.recording.setPaused(isPaused), true),
  recordOutcome: (fields, disposition) =>
    Effect.map(Clock.currentTimeMillis, (now) => record.recorded(fields, disposition, new Date(now))),
  noteCallback: (callback) => Effect.sync(() => void (record.callback = callback)),
  optOut: Effect.gen(function* () {
    const at_ms = Math.round((yield* line.moment).at)
    record.wantsNoCalls({ by: "tool", at: new Date(yield* Clock.currentTimeMillis), at_ms })
  }),
})
