/** The days and hours in which calls are permitted. */
import { ToggleButton, ToggleButtonGroup } from "react-aria-components"
import { Field } from "../../ui/Field.tsx"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import "../../ui/FilterChips.css"
import "./Days.css"

type Window = NonNullable<OpenCampaign["calling_window"]>
type Day = Window["days"][number]

const weekdays: ReadonlyArray<Day> = ["mon", "tue", "wed", "thu", "fri"]
const days: ReadonlyArray<Day> = [...weekdays, "sat", "sun"]

/** The default calling hours, in which no call wakes anyone up. */
export const usualHours: Window = { days: weekdays, start: "09:00", end: "20:00", time_zone: "contact" }

export const Days = ({
  onChange,
  window,
}: {
  readonly window: Window
  readonly onChange: (window: Window) => void
}) => (
  <div className="Days">
    <ToggleButtonGroup
      aria-label="Days"
      className="Days-week"
      selectionMode="multiple"
      disallowEmptySelection
      selectedKeys={window.days}
      onSelectionChange={(keys) => onChange({ ...window, days: days.filter((day) => keys.has(day)) })}
    >
      {days.map((day) => (
        <ToggleButton key={day} id={day} className="FilterChips-chip Days-day">
          {day.slice(0, 1).toUpperCase() + day.slice(1)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
    <div className="Days-times">
      <Field
        label="From"
        type="time"
        value={window.start}
        onChange={(start) => start !== "" && start < window.end && onChange({ ...window, start })}
      />
      <Field
        label="To"
        type="time"
        value={window.end}
        onChange={(end) => end !== "" && window.start < end && onChange({ ...window, end })}
      />
    </div>
  </div>
)
