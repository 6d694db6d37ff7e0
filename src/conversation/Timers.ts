/**
 * Every time limit of a talk, as one table. No timer is started or stopped: the facts of the talk determine when one is
 * due, so none can be forgotten. Pure.
 */
import { longestCallSeconds } from "../domain/Agent.ts"
import type { ToolRun } from "./Talk.ts"
import * as Talk from "./Talk.ts"

interface Timer {
  readonly starts: string
  readonly on_expiry: string
  /** Milliseconds of phone time, or of real time for limits on our own machines. */
  readonly ms: number | ((talk: Talk.Talk) => number)
  readonly real?: true
  /** It runs even when the other side is gone. */
  readonly always?: true
  /** It does not run while the other side has put the call on hold. */
  readonly present?: true
  /** When it began to run; null if it does not run. */
  readonly since: (talk: Talk.Talk) => number | null
}

/** Shares of `silence_timeout_seconds`: of 22 seconds, eight, eight and six. */
const silenceShares = [8 / 22, 8 / 22, 6 / 22] as const
/** Words a second of a calm speaker, for limits on how long a text may take. */
const wordsPerSecond = 2.6
/** Times before the hard end of the call: first the brain is warned, later the agent says a fixed goodbye. */
export const wrapUpMs = 20_000
const goodbyeLeadMs = 5_000

/**
 * The maximum number of unheard pieces. The brain waits at this limit, so that an interruption wastes no more than
 * these.
 */
export const piecesAhead = 2

/** Two people who talk with each other are not bound by the agent's limit. */
const endMs = (talk: Talk.Talk): number => (Talk.isBridged(talk) ? longestCallSeconds * 1_000 : talk.setup.max_ms)

export const table = {
  first_word: {
    present: true,
    starts: "answer",
    on_expiry: "the agent speaks first",
    ms: ({ setup }) => setup.manners.first_word_ms,
    since: (talk) => {
      if (talk.opened || Talk.isSpeaking(talk) || talk.machine !== null) return null
      // The words that follow may be a machine's, which is not greeted.
      return talk.setup.meets_machines && talk.caller.unworded.length > 0 ? null : 0
    },
  },
  endpoint: {
    present: true,
    starts: "the caller's last word",
    on_expiry: "his turn is over; it is answered",
    ms: ({ caller, setup }) => setup.manners.endpoint_ms(caller.owed?.text ?? ""),
    since: ({ caller, errand, machine, noticed, opened, pressed, reply }) => {
      if (caller.owed === null || caller.speaking_since !== null || reply !== null) return null
      // The opening comes before any answer.
      if (!opened && !noticed) return null
      return errand !== null || machine !== null || pressed !== null ? null : caller.owed.ended_ms
    },
  },
  keys: {
    starts: "a key for which no tool has asked",
    on_expiry: "the keys until now are a turn",
    ms: (talk) => (Talk.isCompleteRow(talk) ? 0 : 1_000),
    since: (talk) => (Talk.isAboutToCollect(talk) ? null : (talk.pressed?.since ?? null)),
  },
  digits: {
    present: true,
    starts: "the last key of a number, or the last word of either side",
    on_expiry: "the number is over",
    ms: ({ collecting }) => collecting?.timeout_ms ?? 0,
    since: (talk) =>
      talk.collecting === null || talk.reply !== null || Talk.isSpeaking(talk) || talk.caller.owed !== null
        ? null
        : Math.max(talk.collecting.since, talk.quiet_since),
  },
  barge_in: {
    starts: "the sound for which the agent is held, while the caller speaks",
    on_expiry: "the agent is cut short",
    // The end of an acknowledgement is known 240 to 360 ms after it. Until then the agent is held, so the caller hears no
    // difference. With 600 ms, half of the acknowledgements cut the reply (decision 0071).
    ms: 1_100,
    since: ({ caller, held_since }) => (held_since === null ? null : caller.speaking_since),
  },
  false_alarm: {
    starts: "hold",
    on_expiry: "the agent goes on where it stopped",
    ms: 1_200,
    since: ({ held_since }) => held_since,
  },
  speech: {
    starts: "the caller's first sound",
    on_expiry: "it is taken as over: a stuck sound does not hold the line",
    ms: 60_000,
    since: ({ caller }) => caller.speaking_since,
  },
  brain: {
    always: true,
    starts: "question to the brain, or its last word",
    on_expiry: "it has failed",
    ms: 10_000,
    real: true,
    since: ({ reply }) =>
      reply === null || !reply.thinking || Talk.unplayed(reply).length >= piecesAhead ? null : reply.last_sign_ms,
  },
  first_answer: {
    starts: "the decision to answer",
    on_expiry: "the brain has failed, whatever it is busy with",
    ms: 20_000,
    real: true,
    since: (talk) =>
      talk.reply === null || Talk.hasWords(talk.reply) || Talk.isWhole(talk, talk.reply) || talk.held_since !== null
        ? null
        : talk.reply.began_ms,
  },
  tool: {
    always: true,
    starts: "a tool's start",
    on_expiry: "it is given up; its result is an error",
    ms: 0,
    // Each tool has its own limit.
    since: (talk) => {
      const run = nextToEnd(talk)
      return run === undefined ? null : run.started_ms + Talk.onTheLine(talk, talk.setup.tool_ms(run.call.name))
    },
  },
  filler: {
    present: true,
    starts: "a tool runs and both sides are silent",
    on_expiry: "a word that it takes a moment",
    ms: ({ reply }) => (reply?.pieces.some(({ filler }) => filler) === true ? 7_000 : 1_200),
    real: true,
    since: (talk) => {
      const { reply } = talk
      if (reply === null || reply.thinking || talk.held_since !== null || Talk.isSpeaking(talk)) return null
      if (Talk.unplayed(reply).length > 0 || reply.pieces.filter(({ filler }) => filler).length >= 2) return null
      const running = Talk.openTools(talk, reply)
      return running.length === 0
        ? null
        : Math.max(talk.quiet_since, Math.min(...running.map(({ started_ms }) => started_ms)))
    },
  },
  screening: {
    present: true,
    starts: "the last word to or of an assistant that asks the called person whether to take the call",
    on_expiry: "the call ends: that person did not take it",
    ms: 45_000,
    since: (talk) => (talk.screening_since !== null && Talk.isFree(talk) ? talk.quiet_since : null),
  },
  announcement: {
    starts: "the three tones before an announcement of the network",
    on_expiry: "the call ends: the announcement is over, or was not understood",
    ms: 15_000,
    since: ({ announcement_since }) => announcement_since,
  },
  silence: {
    present: true,
    starts: "the last sound of either side, heard to its end",
    on_expiry: "a question, another one, goodbye",
    ms: ({ setup, silences }) => Math.round(setup.silence_ms * (silenceShares[silences] ?? silenceShares[0])),
    since: (talk) =>
      talk.opened &&
      talk.screening_since === null &&
      Talk.isFree(talk) &&
      talk.tools.every(({ state }) => state !== "running")
        ? talk.quiet_since
        : null,
  },
  drained: {
    starts: "the last word of a goodbye, heard to its end",
    on_expiry: "hang up",
    // Sound that the far side may not have played yet.
    ms: 400,
    since: (talk) =>
      talk.reply !== null && Talk.isClosing(talk) && !Talk.isSpeaking(talk) && Talk.isDrained(talk, talk.reply)
        ? Math.max(talk.reply.began_ms, ...talk.reply.pieces.map(({ ended_ms }) => ended_ms))
        : null,
  },
  goodbye: {
    starts: "the decision to say goodbye, beside the time that saying it takes",
    on_expiry: "hang up, whatever was heard of it",
    ms: ({ reply }) =>
      8_000 +
      (reply?.pieces ?? []).reduce((sum, { text }) => sum + (text.split(" ").length / wordsPerSecond) * 1_000, 0),
    since: (talk) =>
      talk.reply !== null && Talk.isClosing(talk) && Talk.isWhole(talk, talk.reply) ? talk.reply.last_sign_ms : null,
  },
  opt_out: {
    always: true,
    starts: "the caller's wish not to be called",
    on_expiry: "it is confirmed all the same: it is written with the call's end at the latest",
    ms: 3_000,
    real: true,
    since: ({ errand }) => (errand?.kind === "opt_out" ? errand.since : null),
  },
  reassure: {
    present: true,
    starts: "the last sound, while a person is called to take the call over",
    on_expiry: "a word that it takes a moment",
    ms: 8_000,
    since: (talk) =>
      talk.errand?.kind === "transfer" &&
      talk.errand.stage === "dialling" &&
      talk.reply === null &&
      !Talk.isSpeaking(talk)
        ? Math.max(talk.errand.since, talk.quiet_since)
        : null,
  },
  person: {
    starts: "the sentence that a person goes on with the call",
    on_expiry: "the person is connected, whatever was heard of it",
    ms: 10_000,
    since: ({ errand }) => (errand?.kind === "person" && errand.stage === "announcing" ? errand.since : null),
  },
  tone: {
    starts: "a machine took the call",
    on_expiry: "the message is said without a tone",
    ms: 30_000,
    since: ({ machine }) => (machine === null || machine.beeped ? null : machine.since),
  },
  last_goodbye: {
    starts: "answer",
    on_expiry: "the agent says that it has to end the call",
    ms: ({ setup }) => setup.max_ms - Math.min(goodbyeLeadMs, setup.max_ms / 10),
    since: (talk) =>
      talk.time_is_up || Talk.isClosing(talk) || talk.errand !== null || talk.machine !== null || !talk.opened
        ? null
        : 0,
  },
  last_words: {
    always: true,
    starts: "the other side is gone",
    on_expiry: "the call ends, whatever is still being done about what was said last",
    ms: 2_000,
    real: true,
    since: ({ gone }) => gone?.since ?? null,
  },
  hard_end: {
    always: true,
    starts: "answer",
    on_expiry: "the call ends",
    ms: endMs,
    since: () => 0,
  },
} satisfies Record<string, Timer>

export type TimerName = keyof typeof table

/** The running tool with the earliest deadline. */
export const nextToEnd = (talk: Talk.Talk): ToolRun | undefined => {
  const ends = ({ call, started_ms }: ToolRun) => started_ms + Talk.onTheLine(talk, talk.setup.tool_ms(call.name))
  return talk.tools
    .filter(({ state }) => state === "running")
    .reduce<ToolRun | undefined>(
      (first, run) => (first === undefined || ends(run) < ends(first) ? run : first),
      undefined,
    )
}

export interface Deadline {
  readonly timer: TimerName
  readonly at: number
}

const rows: ReadonlyArray<readonly [TimerName, Timer]> = Object.entries(table).map(([name, timer]) => [
  name as TimerName,
  timer,
])

/** The next due limit, on the line's clock. There always is one: the hard end. */
export const next = (talk: Talk.Talk): Deadline => {
  let first: Deadline = { timer: "hard_end", at: endMs(talk) }
  for (const [timer, { always, ms, present, real, since }] of rows) {
    if (talk.gone !== null && always !== true) continue
    if (talk.peer_held_since !== null && present === true) continue
    const began = since(talk)
    if (began === null) continue
    const limit = typeof ms === "number" ? ms : ms(talk)
    const at = began + (real === true ? Talk.onTheLine(talk, limit) : limit)
    if (at < first.at) first = { timer, at }
  }
  return first
}
