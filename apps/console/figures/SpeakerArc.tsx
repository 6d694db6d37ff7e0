/** Who speaks. The right arc is the agent or a person in its place, the left arc the contact. */
export interface SpeakerArcProps {
  readonly of: "agent" | "person" | "contact"
  readonly size?: number
  /** The label for screen readers. Absent if the word is shown beside it. */
  readonly label?: string
}

export const SpeakerArc = ({ label, of, size = 14 }: SpeakerArcProps) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    role={label === undefined ? undefined : "img"}
    aria-label={label}
    aria-hidden={label === undefined}
  >
    <path
      d={of !== "contact" ? "M5.5 3.2A5.3 5.3 0 0 1 5.5 12.8" : "M10.5 3.2A5.3 5.3 0 0 0 10.5 12.8"}
      fill="none"
      stroke={of === "agent" ? "var(--talk)" : "var(--ink)"}
      strokeWidth="2.6"
      strokeLinecap="round"
    />
  </svg>
)
