/** How much of the disclosure was heard, and how the person asked not to be called again. Each links to its second. */
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { length } from "../../words/Times.ts"
import type { OpenCall } from "./Call.ts"
import { Facts, type Fact } from "./Facts.tsx"

const signs: Record<NonNullable<OpenCall["opt_out"]>["by"], string> = {
  words: "Said so",
  key: "Pressed the key",
  tool: "Noted by the agent",
}

const At = ({ ms, children }: { readonly ms: number; readonly children: ReactNode }) => {
  const second = Math.floor(ms / 1000)
  return (
    <>
      {children} at{" "}
      <Link to="." search={{ t: second }} replace resetScroll={false}>
        {length(second)}
      </Link>
    </>
  )
}

export const Disclosed = ({ call: { disclosure, opt_out } }: { readonly call: OpenCall }) => {
  const facts: ReadonlyArray<Fact> = [
    ...(disclosure === null ? [] : [{ label: "Disclosure", value: heardOf(disclosure) }]),
    ...(opt_out === null ? [] : [{ label: "Wants no calls", value: <OptedOut optOut={opt_out} /> }]),
  ]
  return (
    <Panel title="Disclosure and opt-out">
      <PanelBody>
        <Facts facts={facts} />
      </PanelBody>
    </Panel>
  )
}

const OptedOut = ({ optOut: { at_ms, by, subject } }: { readonly optOut: NonNullable<OpenCall["opt_out"]> }) => (
  <>
    <At ms={at_ms}>{signs[by]}</At>
    {subject !== undefined && `, about ${subject}`}
  </>
)

const heardOf = ({ heard_ms, heard_ratio }: NonNullable<OpenCall["disclosure"]>): ReactNode => {
  if (heard_ms !== null) return <At ms={heard_ms}>Heard to its end</At>
  return heard_ratio === 0 ? "Not heard by a person" : `${Math.round(heard_ratio * 100)} % heard`
}
