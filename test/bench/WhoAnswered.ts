/**
 * Who answered: generated people and machines in twelve languages, as sound with noise and as words of which some are
 * lost, judged as a call judges them. A third of what they say was held out while the phrases were written.
 */
import { parseArgs } from "node:util"
import { type Judged, greeting, judge } from "./greetings/Judge.ts"
import { type Kind, take, type Taken } from "./greetings/Taken.ts"
import { percent, whole } from "./support/Numbers.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** The number of calls of each kind in a hundred. */
const mixture: ReadonlyArray<readonly [Kind, number]> = [
  ["person", 45],
  ["voicemail", 32],
  ["screening", 8],
  ["full", 4],
  ["menu", 7],
  ["announcement", 2],
  ["fax", 2],
]

/** The number of calls whose sound is generated at the same time. */
const atOnce = 16

interface Call {
  readonly taken: Omit<Taken, "sound">
  readonly judged: Judged
  readonly leaves: boolean
}

const isMachine = ({ kind }: Call["taken"]): boolean => kind !== "person" && kind !== "screening"
const takenForPerson = ({ judged }: Call): boolean =>
  judged.answeredBy === null || judged.answeredBy.verdict === "person" || judged.answeredBy.verdict === "unknown"

/**
 * True if the assistant was recognised, perhaps not by its first words, and told the name, and the person who took the
 * call was greeted.
 */
const isScreened = ({ judged: { answeredBy, ended, spoken, verdicts } }: Call): boolean => {
  const personAt = answeredBy?.evidence.at(-1)?.at_ms ?? 0
  const introductions = spoken.filter(({ text }) => text === greeting)
  const isTold = introductions.some(({ at_ms }) => at_ms < personAt)
  const isGreeted = introductions.some(({ at_ms }) => at_ms >= personAt)
  return verdicts.includes("screening") && verdicts.at(-1) === "person" && isTold && isGreeted && ended === null
}

/** True if the call waited for the tone: a message is to be left, and nothing ended the call before. */
const waited = ({ judged, leaves, taken }: Call): boolean =>
  leaves && taken.kind === "voicemail" && taken.beep !== null && judged.ended_ms > taken.beep.to_ms
const latestMs = 300
const isHeard = ({ judged: { beep_ms }, taken: { beep } }: Call): boolean =>
  beep !== null && beep_ms !== null && beep_ms > beep.to_ms && beep_ms <= beep.to_ms + latestMs
/** True if a message began before the tone was over. */
const isEarly = ({ judged, taken }: Call): boolean => {
  const message = judged.verdicts.includes("voicemail") ? judged.spoken.at(-1) : undefined
  const since = judged.answeredBy?.evidence[0]?.at_ms ?? 0
  return taken.beep !== null && message !== undefined && message.at_ms > since && message.at_ms < taken.beep.to_ms
}

const rows = (calls: ReadonlyArray<Call>) => {
  const share = (all: ReadonlyArray<Call>, holds: (call: Call) => boolean) => {
    const count = all.filter(holds).length
    return `${whole(count)} of ${whole(all.length)} (${all.length === 0 ? "–" : percent(count / all.length)})`
  }
  const people = calls.filter(({ taken }) => taken.kind === "person")
  const machines = calls.filter(({ taken }) => isMachine(taken))
  const screeners = calls.filter(({ taken }) => taken.kind === "screening")
  const tones = calls.filter(waited)
  return [
    share(people, (call) => !takenForPerson(call)),
    share(machines, takenForPerson),
    share(screeners, isScreened),
    share(tones, isHeard),
    share(tones, isEarly),
  ]
}

const names = [
  ["person taken for a machine", "≤ 0.5 %"],
  ["machine taken for a person", "≤ 5 %"],
  ["screener told the name, its person greeted", "≥ 95 %"],
  ["tone known within 0.3 s of its end", "≥ 98 %"],
  ["message begun before the tone's end", "0"],
] as const

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: { calls: { type: "string", default: "2400" }, show: { type: "boolean", default: false } },
  })
  const count = Number(values.calls)
  const calls: Array<Call> = []
  const kindOf = mixture.flatMap(([kind, share]) => Array.from({ length: share }, () => kind))
  for (let first = 0; first < count; first += atOnce) {
    const seeds = Array.from({ length: Math.min(atOnce, count - first) }, (_, at) => first + at)
    const made = await Promise.all(seeds.map((seed) => take(kindOf[(seed * 37) % kindOf.length] ?? "person", seed)))
    for (const [at, { sound, ...taken }] of made.entries()) {
      const seed = first + at
      const leaves = seed % 2 === 0
      calls.push({ taken, judged: judge({ ...taken, sound }, seed, leaves), leaves })
    }
  }
  const seen = calls.filter(({ taken }) => !taken.isHeldOut)
  const heldOut = calls.filter(({ taken }) => taken.isHeldOut)
  if (values.show) show(seen)
  const [before, after] = [rows(seen), rows(heldOut)]
  heading(`Who answered: ${whole(count)} generated calls`)
  table(
    ["figure", "goal", "phrases were written with these", "never looked at"],
    names.map(([name, goal], at) => [name, goal, before[at] ?? "", after[at] ?? ""]),
  )
  note("Half of the calls are in English. Voices of espeak-ng, noise at 14 to 34 dB, 15 % of the words lost.")
  machine()
}

/** Prints the calls that were judged wrongly, without those that are held out. */
const show = (calls: ReadonlyArray<Call>) => {
  for (const call of calls) {
    const { judged, taken } = call
    const isWrong =
      taken.kind === "person"
        ? !takenForPerson(call)
        : taken.kind === "screening"
          ? !isScreened(call)
          : takenForPerson(call) || (waited(call) && (!isHeard(call) || isEarly(call)))
    if (!isWrong) continue
    const words = taken.utterances.map(({ text }) => text).join(" | ")
    console.log(taken.kind, judged.verdicts.join(">"), judged.ended, JSON.stringify(taken.beep), judged.beep_ms, words)
  }
}
