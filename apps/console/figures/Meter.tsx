/** A thin bar that shows how much of a limit is used. It is ink, since the other colours stand for calls. */
import "./Meter.css"

export const Meter = ({
  label,
  limit,
  used,
}: {
  readonly label: string
  readonly used: number
  readonly limit: number
}) => (
  <span
    className="Meter"
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={limit}
    aria-valuenow={Math.min(used, limit)}
  >
    <span className="Meter-used" style={{ width: `${limit === 0 ? 0 : Math.min(100, (used / limit) * 100)}%` }} />
  </span>
)
