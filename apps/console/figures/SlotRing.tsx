/** The slots of a campaign as a ring of arcs: solid while talking, striped while ringing, grey when free. */
import { arc } from "d3-shape"
import { memo } from "react"
import "./SlotRing.css"

export type SlotPhase = "talking" | "ringing" | "voicemail" | "free"

/** With more slots the arcs would be mere ticks, so a strip is shown instead. */
export const mostArcs = 24

export interface SlotRingProps {
  /** In the order of the slots. */
  readonly phases: ReadonlyArray<SlotPhase>
  readonly sentence: string
}

const outer = 81
const inner = 69
const size = 2 * outer
const gap = 0.06

const shape = arc<{ from: number; to: number }>()
  .innerRadius(inner)
  .outerRadius(outer)
  .startAngle(({ from }) => from)
  .endAngle(({ to }) => to)

/** The position of a slot's word: inside its arc. */
const wordAt = (angle: number) => ({ x: Math.sin(angle) * (inner - 13), y: -Math.cos(angle) * (inner - 13) + 4 })

export const SlotRing = memo(({ phases, sentence }: SlotRingProps) => {
  const step = (2 * Math.PI) / Math.max(phases.length, 1)
  const inCall = phases.filter((phase) => phase !== "free").length
  const isNumbered = phases.length <= 12
  return (
    <div className="SlotRing" role="img" aria-label={sentence}>
      <svg width={size} height={size} viewBox={`${-outer} ${-outer} ${size} ${size}`} aria-hidden>
        {phases.map((phase, at) => {
          const from = at * step + (phases.length > 1 ? gap / 2 : 0)
          const to = (at + 1) * step - (phases.length > 1 ? gap / 2 : 0)
          return (
            <g key={at}>
              {phase === "ringing" ? (
                <Stripes from={from} to={to} />
              ) : (
                <path className={`SlotRing-${phase}`} d={shape({ from, to }) ?? ""} />
              )}
              {isNumbered && (
                <text className="SlotRing-number" textAnchor="middle" {...wordAt((from + to) / 2)}>
                  {at + 1}
                </text>
              )}
            </g>
          )
        })}
        <text className="SlotRing-figure" textAnchor="middle" y={2}>
          {inCall} of {phases.length}
        </text>
        <text className="SlotRing-unit" textAnchor="middle" y={21}>
          slots in a call
        </text>
      </svg>
    </div>
  )
})

/** A ringing slot: as many stripes as fit its arc. */
const Stripes = ({ from, to }: { readonly from: number; readonly to: number }) => {
  const stripes = Math.max(2, Math.round((to - from) / 0.075))
  const width = (to - from) / stripes
  return (
    <>
      {Array.from({ length: stripes }, (_, at) => (
        <path
          key={at}
          className="SlotRing-ringing"
          d={shape({ from: from + at * width, to: from + (at + 0.5) * width }) ?? ""}
        />
      ))}
    </>
  )
}
