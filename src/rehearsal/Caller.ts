/** A simulated caller as a party on the lab's line: how it reacts to the agent's words. */
import { Effect } from "effect"
import type { CallerStep, SimulatedCaller } from "../domain/Scenario.ts"
import * as Offload from "../offload/Offload.ts"
import type { Answer, Party } from "../telephony/lab/Personas.ts"
import { choosing } from "./Patterns.ts"

const defaultOpening = "Hello?"
const bargesInAfterMs = 1_200

const saysGoodbye = (text: string) => /\bgood ?bye\b|\bbye\b/iu.test(text)

const farewell: Answer = { text: "Goodbye.", hangs_up: true, interrupts: null }
const nothing: Answer = { text: null, hangs_up: false, interrupts: null }

/** The simulated caller as a party of the lab. If a language model speaks for it, `think` returns its answers. */
export const partyOf = (caller: SimulatedCaller, think: (heard: string) => Effect.Effect<Answer>): Party => {
  if (caller.voicemail !== undefined) return { opening: caller.voicemail, lines: null, machine: true }
  const opening = caller.opening === undefined ? defaultOpening : caller.opening
  const answer = caller.says === undefined ? think : followScript(caller.says)
  return { opening, lines: [], answer }
}

const followScript = (says: ReadonlyArray<string | CallerStep>) => {
  const left = says.map((step): CallerStep => (typeof step === "string" ? { say: step } : step))
  return (heard: string) =>
    Effect.gen(function* () {
      const isOver = saysGoodbye(heard)
      // After the agent's goodbye, the caller takes only steps with a pattern that matches it.
      const patterns = left.map(({ when = null }) => when)
      const at = yield* Effect.orElseSucceed(Offload.run(choosing, { patterns, text: heard, isOver }), () => -1)
      const [step] = at < 0 ? [] : left.splice(at, 1)
      if (step !== undefined) return answerOf(step)
      return isOver || left.length === 0 ? farewell : nothing
    })
}

const answerOf = ({ after_ms, barge_in, hang_up, say }: CallerStep): Answer => ({
  text: say ?? null,
  hangs_up: hang_up === true,
  interrupts: barge_in === undefined ? null : { text: barge_in, after_ms: after_ms ?? bargesInAfterMs },
})
