/** Facts about a call: each a label and its value. */
import { Fragment, type ReactNode } from "react"
import "./CallFacts.css"

export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

export const Facts = ({ facts }: { readonly facts: ReadonlyArray<Fact> }) => (
  <dl className="CallFacts">
    {facts.map(({ label, value }, at) => (
      // Two facts may have the same label.
      <Fragment key={`${label} ${at}`}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
)
