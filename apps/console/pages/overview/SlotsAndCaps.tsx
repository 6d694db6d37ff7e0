/** The account's concurrent calls as cells, and the use of its caps. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import type { AccountPulse } from "../../data/AccountPulse.ts"
import { Meter } from "../../figures/Meter.tsx"
import { freeSlots, SlotStrip } from "../../figures/SlotStrip.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count, money } from "../../words/Figures.ts"
import { inSeconds } from "../../words/Times.ts"
import "../../figures/Legend.css"
import "./SlotsAndCaps.css"

/** Milliseconds until the first word above which callers tend to hang up. */
export const firstWordLimitMs = 2_000

export interface SlotsAndCapsProps {
  readonly pulse: AccountPulse
  readonly firstWordMs: number | null
}

export const SlotsAndCaps = ({ firstWordMs, pulse }: SlotsAndCapsProps) => {
  const { slug } = useAccount()
  const { daily_spend, per_day, per_minute, slots } = pulse
  const legend = [
    { kind: "campaign", word: "campaign call", value: slots.campaign },
    { kind: "reserved", word: "reserved", value: slots.reserved },
    { kind: "other", word: "inbound", value: slots.other },
    { kind: "free", word: "free", value: freeSlots(slots) },
  ]
  const rows = [
    { label: "Calls this minute", ...per_minute, shown: count(per_minute.used), of: count(per_minute.limit) },
    { label: "Calls today", ...per_day, shown: count(per_day.used), of: count(per_day.limit) },
    ...(daily_spend.limit === null
      ? []
      : [
          {
            label: "Spent and reserved today",
            used: Number(daily_spend.spent) + Number(daily_spend.reserved),
            limit: Number(daily_spend.limit),
            shown: money(Number(daily_spend.spent) + Number(daily_spend.reserved), daily_spend.currency),
            of: money(Number(daily_spend.limit), daily_spend.currency),
          },
        ]),
    ...(firstWordMs === null
      ? []
      : [
          {
            label: "Answer to first word, p99",
            used: firstWordMs,
            limit: firstWordLimitMs,
            shown: inSeconds(firstWordMs),
            of: "2.00 s limit",
          },
        ]),
  ]
  return (
    <Panel
      title="Slots and caps"
      aside={
        <Link to="/$account/account" params={{ account: slug }} className="Quiet-link">
          Account and caps
        </Link>
      }
    >
      <PanelBody>
        <p className="SlotsAndCaps-line">
          <span>
            <span className="figure">{slots.campaign + slots.other}</span>{" "}
            <span className="unit">of {slots.limit} slots in a call</span>
          </span>
          <span className="second-line">{slots.left} left to reserve</span>
        </p>
        <SlotStrip slots={slots} />
        <p className="Legend SlotsAndCaps-legend">
          {legend.map(({ kind, value, word }) => (
            <span key={kind} className="Legend-entry">
              <span className={`Legend-fill SlotStrip-${kind}`} />
              {word} {value}
            </span>
          ))}
        </p>
        <dl className="SlotsAndCaps-rows">
          {rows.map(({ label, limit, of, shown, used }) => (
            <div key={label} className="SlotsAndCaps-row">
              <dt>{label}</dt>
              <dd>
                <Meter label={label} used={used} limit={limit} />
              </dd>
              <dd className="SlotsAndCaps-figure">
                <strong>{shown}</strong> of {of}
              </dd>
            </div>
          ))}
        </dl>
      </PanelBody>
    </Panel>
  )
}
