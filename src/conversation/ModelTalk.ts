/**
 * A voice model in a talk: it hears and speaks on the line, and answers in place of the brain. When it is lost for
 * good, the line's own recogniser and voice take over, if there are any.
 */
import { Clock, Effect } from "effect"
import type { Briefing, Message } from "../brain/Brain.ts"
import { argumentsIn } from "../brain/model/ReplyWords.ts"
import type { ReplyListener, SessionListener } from "../speech/VoiceModel.ts"
import type { Line } from "../telephony/Telephony.ts"
import type { Workers } from "./Bounded.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { Command } from "./Command.ts"
import { ModelHistory } from "./ModelHistory.ts"
import type { TalkEvent } from "./TalkEvent.ts"

export interface Parts {
  readonly workers: Workers
  readonly post: (event: TalkEvent) => void
  readonly briefing: Briefing
  /** What was said and done until now, for a new connection. */
  readonly historyNow: () => ReadonlyArray<Message>
  readonly line: Line
  readonly record: CallRecord
}

type Think = Extract<Command, { readonly _tag: "Think" }>

const wrapUp = "The call has less than twenty seconds left: say what is most important, and goodbye, in one sentence."

/** Returns null if no voice model talks on the line. */
export const make = Effect.fnUntraced(function* (parts: Parts) {
  const { briefing, line, post, workers } = parts
  const { modelVoice } = line
  if (modelVoice === undefined) return null
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const { agent, tools } = briefing.kit
  let isThere = true
  let isWarned = false
  const session = yield* modelVoice.provider.open(
    {
      model: agent.model.id,
      voice: agent.voice,
      language: agent.language,
      rates: modelVoice.rates,
      instructions: briefing.prompt.text,
      tools: tools.map(({ description, name, schema }) => ({ name, description, parameters: schema })),
    },
    listenerOf(parts, () => history.begin(parts.historyNow())),
  )
  const history = new ModelHistory(session)
  modelVoice.engage(session)

  const lose = Effect.fnUntraced(function* (why: string) {
    yield* Effect.annotateLogs(Effect.logError("speech-to-speech model lost"), { why })
    isThere = false
    if (modelVoice.isReplaceable) {
      yield* modelVoice.disengage
      session.giveUp(why)
    }
    post({ _tag: "ModelLost", isReplaced: modelVoice.isReplaceable })
  })
  yield* workers.run("voice model", Effect.flatMap(session.run, lose))

  const think = (question: Think) =>
    Effect.sync(() => {
      history.add(question.history)
      if (question.wrap_up && !isWarned) history.tell(wrapUp)
      isWarned ||= question.wrap_up
      session.ask(question, replyOf(question, post, now))
    })

  return {
    isThere: () => isThere,
    think,
    stop: Effect.sync(() => session.cancel()),
    execute: (command: Extract<Command, { readonly _tag: "Forget" | "Reword" }>): void => {
      if (command._tag === "Reword") return modelVoice.reword(command.piece, command.text)
      for (const sound of command.sounds) session.forget(sound)
    },
  }
})

const listenerOf = ({ line, post, record }: Parts, joined: () => void): SessionListener => ({
  joined,
  heard: (utterance, started_ms, ended_ms) => post({ _tag: "Heard", utterance, started_ms, ended_ms }),
  understood: (utterance, text, started_ms, ended_ms) => {
    if (text !== null && text !== "") line.modelVoice?.understood(text)
    post({ _tag: "Understood", utterance, text, started_ms, ended_ms })
  },
  spent: ({ cost }) => void (record.brain_cost += cost),
  reworded: (piece, text) => post({ _tag: "Worded", of: { piece }, text }),
})

/** Posts the events of one step. */
const replyOf = ({ reply, step }: Think, post: (event: TalkEvent) => void, now: () => number): ReplyListener => {
  const began = now()
  return {
    speaks: (sound) => {
      post({ _tag: "FirstToken", reply, step })
      post({ _tag: "Speaks", reply, step, sound, after_ms: now() - began })
    },
    worded: (sound, text) => post({ _tag: "Worded", of: { sound }, text }),
    calls: (call_id, name, args) =>
      post({ _tag: "Called", reply, step, call: { name, arguments: argumentsIn(args), meta: { call_id } } }),
    ended: (usage) => {
      if (usage !== null) post({ _tag: "Used", reply, step, usage })
      post({ _tag: "StepEnded", reply, step, thought_ms: now() - began })
    },
    failed: () => post({ _tag: "StepFailed", reply, step, thought_ms: now() - began }),
  }
}
