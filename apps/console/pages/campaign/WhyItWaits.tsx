/**
 * Why the campaign does not dial more: two sentences, then every rule with its inputs and verdict. The binding rule has
 * the warning colour.
 */
import type { CampaignView } from "../../data/LiveViews.ts"
import { useAccountPulse, useZone } from "../../data/AccountPulse.ts"
import { useNow } from "../../shell/Clock.ts"
import { Panel } from "../../ui/Panel.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count } from "../../words/Figures.ts"
import { clock, moment } from "../../words/Times.ts"
import { isHeldByDay, whyItWaits } from "../../words/Waiting.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "./WhyItWaits.css"

export interface WhyItWaitsProps {
  readonly campaign: OpenCampaign
  readonly snapshot: CampaignView["snapshot"]
}

interface Rule {
  readonly word: string
  readonly seen: string
  readonly verdict: string
  readonly isBinding: boolean
}

export const WhyItWaits = ({ campaign, snapshot }: WhyItWaitsProps) => {
  const zone = useZone()
  const now = useNow()
  const why = whyItWaits(
    { ...snapshot, max_concurrent_calls: campaign.max_concurrent_calls },
    now,
    zone,
    useAccountPulse()?.minute_frees_at,
  )
  const { caller_numbers, daily_spend, spend, waiting, waiting_for } = snapshot
  const { budget, callbacks, per_day, per_minute, retries, slots, window } = waiting
  const used = (usage: { readonly used: number; readonly limit: number }) =>
    `${count(usage.used)} of ${count(usage.limit)}`
  const full = snapshot.missing_price === undefined ? "full" : "no price"
  const isFull = slots.used >= slots.limit
  const rules: ReadonlyArray<Rule> = [
    { word: "Slots", seen: used(slots), verdict: isFull ? "full" : "open", isBinding: isFull },
    {
      word: "Budget of the account",
      seen: used(budget),
      verdict: waiting_for === "concurrent_cap" || waiting_for === "budget" ? "full" : "open",
      isBinding: waiting_for === "concurrent_cap" || waiting_for === "budget",
    },
    {
      word: "Calls a minute",
      seen: used(per_minute),
      verdict: waiting_for === "per_minute_cap" ? "full" : "open",
      isBinding: waiting_for === "per_minute_cap",
    },
    {
      word: "Calls today",
      seen: used(per_day),
      verdict: waiting_for === "daily_cap" ? "full" : "open",
      isBinding: waiting_for === "daily_cap",
    },
    ...(spend === undefined
      ? []
      : [
          {
            word: "Spent",
            seen: `${spend.spent} of ${spend.limit} ${spend.currency}, ${spend.reserved} reserved`,
            verdict: waiting_for === "spend_cap" && !isHeldByDay(snapshot) ? full : "open",
            isBinding: waiting_for === "spend_cap" && !isHeldByDay(snapshot),
          },
        ]),
    ...(daily_spend === undefined
      ? []
      : [
          {
            word: "Spent today by the account",
            seen: `${daily_spend.spent} of ${daily_spend.limit} ${daily_spend.currency}, ${daily_spend.reserved} reserved`,
            verdict: isHeldByDay(snapshot) && waiting_for === "spend_cap" ? full : "open",
            isBinding: isHeldByDay(snapshot) && waiting_for === "spend_cap",
          },
        ]),
    ...(caller_numbers === undefined
      ? []
      : [
          {
            word: "Phone numbers",
            seen: `${count(caller_numbers.free)} of ${count(caller_numbers.total)} may call now`,
            verdict: caller_numbers.free > 0 ? "open" : "none free",
            isBinding: waiting_for === "caller_number",
          },
        ]),
    {
      word: "Calling hours",
      seen: `${count(window.open)} may be called now`,
      verdict: window.closed === 0 ? "open" : `${count(window.closed)} closed`,
      isBinding: waiting_for === "calling_window",
    },
    {
      word: "Retries due",
      seen: `${count(retries.due)} of ${count(retries.due + retries.waiting)}`,
      verdict: retries.next_at === null ? "none wait" : `next ${clock(new Date(retries.next_at), zone)}`,
      isBinding: waiting_for === "retry_delay",
    },
    {
      word: "Callbacks due",
      seen: `${count(callbacks.due)} of ${count(callbacks.due + callbacks.waiting)}`,
      verdict: callbacks.next_at === null ? "none wait" : `next ${moment(new Date(callbacks.next_at), now, zone)}`,
      isBinding: waiting_for === "callback",
    },
  ]
  return (
    <Panel className="Why-panel" title="Why it waits">
      <div className="Why">
        <p className="panel-title">{why.first}</p>
        <p className="second-line">{why.second}</p>
        <dl className="Why-rules">
          {rules.map(({ isBinding, seen, verdict, word }) => (
            <div key={word} className="Why-rule">
              <dt>{word}</dt>
              <dd>{seen}</dd>
              <dd>
                <Tag tone={isBinding ? "warn" : "plain"}>{verdict}</Tag>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Panel>
  )
}
