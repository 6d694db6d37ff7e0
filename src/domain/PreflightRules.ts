/** The rule packs of a preflight: the attempts to each number so far, and the judge of a moment. */
import type { JudgeRules } from "./DialDecision.ts"
import type { PreflightPlan } from "./PreflightRun.ts"
import type { PreflightContact, Waiting } from "./PreflightQueue.ts"
import type { PreflightTally } from "./PreflightTally.ts"
import { type AppliedRule, type EarlierAttempt, hoursBack, type Judge, judges, packsFor } from "./Rules.ts"

/** A rule of a pack counts at most this many attempts. */
const remembered = 100

export class PreflightRules {
  private readonly plan: Pick<PreflightPlan, "rules" | "window">
  private readonly tally: PreflightTally
  private readonly counts: boolean
  private readonly judgeOf: (now: Date) => Judge
  private readonly attempts = new Map<string, Array<EarlierAttempt>>()

  constructor(plan: Pick<PreflightPlan, "rules" | "window">, tally: PreflightTally) {
    this.plan = plan
    this.tally = tally
    this.judgeOf = judges({ ...plan.rules, window: plan.window })
    this.counts = hoursBack(plan.rules.packs) > 0
  }

  /** `earlier`: the real attempts to the contact's number. */
  add({ phone_number, whereabouts }: PreflightContact, earlier: ReadonlyArray<EarlierAttempt>): void {
    if (whereabouts === undefined) return
    if (packsFor(this.plan.rules.packs, whereabouts.place).length === 0) this.tally.unchecked++
    if (earlier.length > 0) this.attempts.set(phone_number, [...earlier])
  }

  begin(number: string, at: number): void {
    if (!this.counts) return
    const own = this.attempts.get(number) ?? []
    if (own.length >= remembered) own.shift()
    own.push({ at, same_subject: true })
    this.attempts.set(number, own)
  }

  /** The judge of this moment; undefined without packs. */
  judgeAt(now: number): JudgeRules<Waiting> | undefined {
    const { rules } = this.plan
    if (rules.packs.length === 0) return undefined
    const judge = this.judgeOf(new Date(now))
    return ({ phone_number, whereabouts = nowhere, zones }) =>
      judge({ ...whereabouts, window_zones: zones, earlier: this.attempts.get(phone_number) ?? [] })
  }
}

const nowhere = { place: { country: null, state: null, found_by: "unknown" }, zones: [] } as const

/** Why a rule never permits the call, as a sentence. */
export const whyRefused = ({ pack, rule, title }: AppliedRule, { whereabouts }: PreflightContact): string => {
  const unknown = whereabouts?.zones.length === 0 ? " The time zone of the number is unknown." : ""
  return `The rule ${rule} of ${pack} never permits the call: ${title}.${unknown}`
}
