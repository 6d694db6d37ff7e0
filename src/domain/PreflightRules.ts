/** The rule packs of a preflight: the attempts to each number so far, and the judge of a moment. */
import type { JudgeRules } from "./DialDecision.ts"
import type { PreflightPlan } from "./PreflightRun.ts"
import type { PreflightContact, PreflightNumber, Waiting } from "./PreflightQueue.ts"
import type { PreflightTally } from "./PreflightTally.ts"
import { type EarlierAttempt, hoursBack, type Judge, judges, packsFor } from "./Rules.ts"

/** The real attempts by called number, oldest first. */
export type EarlierByNumber = ReadonlyMap<string, ReadonlyArray<EarlierAttempt>>

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

  /** `earlier`: the real attempts to the contact's numbers. */
  add(contact: PreflightContact, earlier: EarlierByNumber): void {
    const numbers = contact.person?.numbers ?? [contact]
    const { packs } = this.plan.rules
    const isUnchecked = ({ whereabouts }: PreflightNumber) =>
      whereabouts !== undefined && packsFor(packs, whereabouts.place).length === 0
    if (numbers.some(isUnchecked)) this.tally.unchecked++
    for (const { phone_number } of numbers) {
      const own = earlier.get(phone_number)
      if (own !== undefined) this.attempts.set(phone_number, [...own])
    }
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
    return (contact) => {
      const { whereabouts = nowhere, zones } = contact
      return judge({ ...whereabouts, window_zones: zones, earlier: this.earlierOf(contact) })
    }
  }

  /** The attempts to all numbers of the person. */
  private earlierOf({ lines, phone_number }: Waiting): ReadonlyArray<EarlierAttempt> {
    if (lines === undefined) return this.attempts.get(phone_number) ?? []
    return lines.flatMap((line) => this.attempts.get(line) ?? []).sort((a, b) => a.at - b.at)
  }
}

const nowhere = { place: { country: null, state: null, found_by: "unknown" }, zones: [] } as const
