/**
 * The tools that a reply asks for. They begin only while the reply is valid, and each has one result for the next
 * step. Pure.
 */
import * as ToolPolicy from "../brain/ToolPolicy.ts"
import * as Keypad from "./Keypad.ts"
import * as Replies from "./Replies.ts"
import { emit, openTools, sentencesOf, toolsOf } from "./Talk.ts"
import type { Reply, Talk, ToolRun } from "./Talk.ts"
import type { Order } from "./TalkEvent.ts"
import { nextToEnd } from "./Timers.ts"

export const onCalled = (talk: Talk, reply: Reply, call: ToolRun["call"]): Talk => {
  const ofStep = toolsOf(talk, reply).filter(({ step }) => step === reply.step)
  if (reply.step >= ToolPolicy.mostSteps || ofStep.length >= ToolPolicy.mostCallsAStep) return talk
  if (ToolPolicy.isHopeless(talk.asked, call)) {
    const stopped = emit(talk, { _tag: "StopThinking" })
    return Replies.addWords(
      stopped,
      { ...reply, thinking: false, afterwards: { _tag: "End", reason: "agent_error", reopens: false } },
      sentencesOf(talk).outOfOrder,
    )
  }
  const answer = ToolPolicy.refusal(reply.asked, call)
  const id = `call_${talk.last_id + 1}`
  const run: ToolRun = {
    id,
    call,
    answer,
    reply: reply.id,
    step: reply.step,
    started_ms: talk.at,
    shown: false,
    state: answer === null ? "waiting" : "over",
  }
  return {
    ...talk,
    last_id: talk.last_id + 1,
    asked: ToolPolicy.count(talk.asked, call),
    tools: [...talk.tools, run],
    reply: {
      ...reply,
      last_sign_ms: talk.at,
      asked: ToolPolicy.count(reply.asked, call),
      trace: [...reply.trace, { call: id }],
    },
  }
}

/** Begins waiting tools, but not while the caller may be taking the floor. */
export const begin = (talk: Talk): Talk => {
  const { reply } = talk
  if (reply === null || talk.held_since !== null) return talk
  const waiting = toolsOf(talk, reply).filter(({ state }) => state === "waiting")
  if (waiting.length === 0) return talk
  return emit(
    {
      ...talk,
      tools: talk.tools.map((run) => (waiting.includes(run) ? { ...run, state: "running", started_ms: talk.at } : run)),
    },
    ...waiting.map(({ call, id }) => ({ _tag: "RunTool", id, call }) as const),
  )
}

/** The one result of a tool call. A reply may wait for it, or may be over. */
export const onResulted = (before: Talk, id: string, answer: ToolPolicy.Answer): Talk => {
  const talk = Keypad.drop(before, id)
  const run = talk.tools.find((run) => run.id === id && run.state === "running")
  if (run === undefined) return talk
  const { reply } = talk
  if (reply !== null && run.reply === reply.id) {
    const tools = talk.tools.map((other) => (other === run ? { ...run, state: "over" as const, answer } : other))
    const after: Talk = { ...talk, tools }
    if (openTools(after, reply).length > 0) return after
    // All tools of the step have ended. Their time counts from the first start after the time that is counted already.
    const began = Math.min(
      ...toolsOf(talk, reply)
        .filter(({ started_ms, step }) => step === run.step && started_ms >= reply.tools_until)
        .map((of) => of.started_ms),
    )
    return { ...after, reply: Replies.addToolTime(after, { ...reply, last_sign_ms: talk.at }, began) }
  }
  return takeLateResult({ ...talk, tools: talk.tools.filter((other) => other !== run) }, run, answer)
}

/**
 * The result for a reply that was cut. If the brain was told that the tool still runs, it gets the result as news;
 * otherwise the history is corrected.
 */
const takeLateResult = (talk: Talk, run: ToolRun, answer: ToolPolicy.Answer): Talk => {
  const text = ToolPolicy.textOf(answer)
  const quiet: Talk = { ...talk, quiet_since: talk.at }
  if (talk.machine !== null) return quiet
  const isTraced = talk.reply?.trace.some((part) => "call" in part && part.call === run.id)
  if (isTraced) return { ...quiet, tools: [...quiet.tools, { ...run, state: "over", answer }], news: true }
  const before = talk.history.find(({ call }) => call === run.id)
  if (before === undefined) return quiet
  if (!run.shown) {
    const history = talk.history.map((message) => (message === before ? { ...before, text } : message))
    return { ...quiet, history, news: true }
  }
  const late = { ...before, text, call: `${run.id}_late` }
  return talk.reply === null
    ? { ...quiet, history: [...talk.history, late], news: true }
    : { ...quiet, later: [...talk.later, late], news: true }
}

/** A tool's order to the call; ignored if the tool's reply is over. */
export const onOrdered = (talk: Talk, id: string, order: Order): Talk => {
  const run = talk.tools.find((run) => run.id === id)
  if (run === undefined) return talk
  // The caller may talk before pressing, so the reply that asked may be over.
  if (order._tag === "Collect") return Keypad.collect(talk, id, order)
  if (order._tag === "Language") return { ...talk, setup: { ...talk.setup, language: order.language } }
  if (order._tag === "Message") {
    return talk.machine === null ? talk : { ...talk, machine: { ...talk.machine, message: order.text } }
  }
  const { reply } = talk
  if (reply === null || run.reply !== reply.id) return talk
  return order._tag === "Transfer"
    ? { ...talk, reply: { ...reply, afterwards: order } }
    : { ...talk, reply: Replies.leaveAfter(reply) }
}

/** Gives up the tool whose time is over. */
export const giveUp = (talk: Talk): Talk => {
  const run = nextToEnd(talk)
  if (run === undefined) return talk
  const answer = ToolPolicy.tooSlow(run.call.name, talk.setup.tool_ms(run.call.name))
  return onResulted(emit(talk, { _tag: "StopTool", id: run.id, answer }), run.id, answer)
}
