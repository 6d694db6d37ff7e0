/** The brain's words and failures, and what follows from them. Pure. */
import type { Usage } from "../brain/Brain.ts"
import * as ToolPolicy from "../brain/ToolPolicy.ts"
import * as Replies from "./Replies.ts"
import { emit, hasWords, inReality, openTools, sentencesOf, toolsOf, wantsStep } from "./Talk.ts"
import type { Reply, Talk } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"
import * as ToolCalls from "./ToolCalls.ts"

type Thought = Extract<TalkEvent, { readonly reply: number }>

export const onThought = (talk: Talk, event: Thought): Talk => {
  const { reply } = talk
  // Events of a reply or step that is over are ignored.
  if (reply === null || reply.id !== event.reply || reply.step !== event.step || !reply.thinking) return talk
  switch (event._tag) {
    case "FirstToken":
      return { ...talk, reply: { ...reply, token_ms: reply.token_ms ?? talk.at } }
    case "Said":
      return Replies.onSaid(talk, reply, event.text, event.after_ms)
    case "Speaks":
      return Replies.onSpeaks(talk, reply, event.sound, event.after_ms)
    case "Called":
      return ToolCalls.onCalled(talk, reply, event.call)
    case "Used":
      return { ...talk, reply: { ...reply, usage: sum(reply.usage, event.usage) } }
    case "Farewell":
      return { ...talk, reply: Replies.leaveAfter(reply) }
    case "StepEnded": {
      const thought = { thought_ms: reply.thought_ms + event.thought_ms, thought_until: talk.at }
      const over = { ...reply, ...thought, thinking: false, last_sign_ms: talk.at }
      return onStepEnded({ ...talk, reply: over, failures: 0 }, over)
    }
    case "StepFailed":
      return onStepFailed(talk, { ...reply, thought_ms: reply.thought_ms + event.thought_ms })
  }
}

const sum = (before: Usage | null, usage: Usage): Usage => ({
  model: usage.model,
  tokens_in: (before?.tokens_in ?? 0) + usage.tokens_in,
  tokens_out: (before?.tokens_out ?? 0) + usage.tokens_out,
  cost: (before?.cost ?? 0) + usage.cost,
})

/**
 * After an empty reply the brain is asked once more. If that is empty too, the caller is asked to say it again. After a
 * tool there may be nothing to say.
 */
const onStepEnded = (talk: Talk, reply: Reply): Talk => {
  if (talk.gone !== null) return talk
  const isDone = hasWords(reply) || reply.afterwards._tag !== "Listen"
  if (isDone || openTools(talk, reply).length > 0 || wantsStep(talk, reply)) return talk
  if (reply.step >= ToolPolicy.mostSteps) return Replies.addWords(talk, reply, sentencesOf(talk).sayAgain)
  if (toolsOf(talk, reply).length > 0) return talk
  return reply.retried
    ? Replies.addWords(talk, reply, sentencesOf(talk).sayAgain)
    : Replies.ask(talk, { ...reply, retried: true })
}

/**
 * One failure is forgiven: the agent says that it lost the thread. After a second one in a row it ends the call.
 */
const onStepFailed = (talk: Talk, reply: Reply): Talk => {
  const silent = emit({ ...talk, failures: talk.failures + 1 }, { _tag: "StopThinking" })
  // Running tools continue. Their results are reported when the floor is free.
  const detached: Talk = {
    ...silent,
    tools: silent.tools.map((run) =>
      run.reply !== reply.id
        ? run
        : run.state === "waiting"
          ? { ...run, reply: null, state: "over", answer: ToolPolicy.cancelled }
          : { ...run, reply: null },
    ),
  }
  const over: Reply = { ...reply, thinking: false, last_sign_ms: talk.at }
  return talk.failures === 0
    ? Replies.addWords(detached, over, sentencesOf(talk).lostThread)
    : Replies.addWords(
        detached,
        { ...over, afterwards: { _tag: "End", reason: "agent_error", reopens: false } },
        sentencesOf(talk).outOfOrder,
      )
}

/** The brain has exceeded its time limit. */
export const giveUp = (talk: Talk): Talk => {
  const { reply } = talk
  if (reply === null) return talk
  const waited = inReality(talk, talk.at - reply.last_sign_ms)
  return onStepFailed(talk, { ...reply, thought_ms: reply.thought_ms + waited })
}
