/** The account's concurrent calls as cells: in a campaign call, reserved, inbound or direct, free. */
import { memo } from "react"
import { counted } from "../words/Figures.ts"
import "./SlotStrip.css"

/** The most cells. Above it, one cell stands for several slots, and the text gives the figure. */
const mostCells = 40

export interface Slots {
  readonly limit: number
  /** In a call of a campaign. */
  readonly campaign: number
  /** Reserved by a running campaign and not in a call. */
  readonly reserved: number
  /** Inbound, direct or from a widget. */
  readonly other: number
}

export const freeSlots = ({ campaign, limit, other, reserved }: Slots): number =>
  Math.max(0, limit - campaign - other - reserved)

const kinds = ["campaign", "reserved", "other", "free"] as const

export const SlotStrip = memo(
  ({ slots, size = "panel" }: { readonly slots: Slots; readonly size?: "panel" | "foot" }) => {
    const counts = { ...slots, free: freeSlots(slots) }
    const perCell = Math.ceil(slots.limit / mostCells)
    const cells = kinds.flatMap((kind) =>
      Array.from({ length: Math.ceil(counts[kind] / perCell) }, (_, at) => ({ kind, key: `${kind}${at}` })),
    )
    const inCall = slots.campaign + slots.other
    return (
      <div
        className={`SlotStrip SlotStrip-${size}`}
        role="img"
        aria-label={`${counted(inCall, "slot")} of ${slots.limit} in a call, ${slots.reserved} reserved, ${counts.free} free`}
      >
        {cells.map(({ key, kind }) => (
          <span key={key} className={`SlotStrip-cell SlotStrip-${kind}`} />
        ))}
      </div>
    )
  },
)
