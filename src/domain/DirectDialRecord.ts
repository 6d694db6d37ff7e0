/**
 * The record of why a direct call was placed that asked for rule packs or a consent. It has the form of a campaign's
 * record, without what only campaigns have, so that the same replay checks it (decision 0090).
 */
import type { ConsentStamp, RequiredConsent } from "./Consent.ts"
import { capsOn, type Grounds, type RuleGrounds, rulesOn } from "./DialRecord.ts"

/** What the decision depended on, while the account's budget was locked. */
export interface DirectGrounds<C> extends Pick<Grounds<C>, "agent" | "usage" | "daily_spend" | "data" | "now"> {
  readonly agent_version: number
  /** What the call is about; null if it may be about anything. */
  readonly subject: string | null
  readonly required_consent: RequiredConsent | null
  readonly consent: ConsentStamp | null
  /** Undefined without packs. */
  readonly rules: RuleGrounds<C> | undefined
}

export const placedBecause = <C>(party: C, grounds: DirectGrounds<C>) => ({
  rule: "direct_call",
  attempt: 1,
  due_at: null,
  waited_for: null,
  ...capsOn(grounds),
  window: null,
  ...(grounds.subject === null ? {} : { subject: grounds.subject }),
  ...(grounds.rules === undefined ? {} : { rules: rulesOn(party, grounds, grounds.rules) }),
  do_not_call: false,
  ...(grounds.required_consent === null
    ? {}
    : { required_consent: grounds.required_consent, consent: grounds.consent }),
  agent: { id: grounds.agent.id, name: grounds.agent.name, revision: grounds.agent.revision },
  agent_version: grounds.agent_version,
  data: grounds.data,
  decided_at: grounds.now.toISOString(),
})
