/** The call's sound quality, as measured at Parley's end. */
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import type { OpenCall } from "./Call.ts"
import { type Fact, Facts } from "./Facts.tsx"

type Figures = NonNullable<OpenCall["sound"]>

/** Listener satisfaction by ITU-T G.109: the lowest MOS of each grade. */
const grades = [
  [4.3, "very good"],
  [4, "good"],
  [3.6, "fair"],
  [3.1, "poor"],
] as const
const gradeOf = (mos: number): string => grades.find(([least]) => mos >= least)?.[1] ?? "bad"

const share = (part: number, whole: number): string =>
  part === 0 ? "none" : `${count(part)} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`

export const Sound = ({
  sound: { jitter_ms, late, lost, mos, peer_lost, received, round_trip_ms, sent },
}: {
  readonly sound: Figures
}) => {
  const facts: ReadonlyArray<Fact> = [
    { label: "Score (MOS)", value: mos === null ? "No sound arrived" : `${mos.toFixed(2)}, ${gradeOf(mos)}` },
    { label: "Packets received", value: count(received) },
    { label: "Lost", value: share(lost, received + lost) },
    { label: "Too late", value: share(late, received) },
    { label: "Jitter", value: `${jitter_ms.toFixed(1)} ms` },
    ...(round_trip_ms === null ? [] : [{ label: "Round trip", value: `${Math.round(round_trip_ms)} ms` }]),
    { label: "Packets sent", value: count(sent) },
    ...(round_trip_ms === null ? [] : [{ label: "Lost by them", value: `${(100 * peer_lost).toFixed(1)} %` }]),
  ]
  return (
    <Panel title="Sound">
      <PanelBody>
        <Facts facts={facts} />
      </PanelBody>
    </Panel>
  )
}
