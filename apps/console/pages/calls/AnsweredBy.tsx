/** Who or what answered the call, and the evidence. Each sign links to its second in the call. */
import { Link } from "@tanstack/react-router"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { length } from "../../words/Times.ts"
import type { OpenCall } from "./Call.ts"
import "./CallFacts.css"

type Answered = NonNullable<OpenCall["answered_by"]>
type Evidence = Answered["evidence"][number]

const verdicts: Record<Answered["verdict"], string> = {
  person: "A person",
  voicemail: "A voicemail",
  mailbox_full: "A voicemail that takes no message",
  screening: "An assistant that screens calls",
  ivr: "A menu that wants a key",
  fax: "A fax machine",
  announcement: "An announcement of the telephone network",
  unknown: "Unknown: nothing was said",
}

const signOf = (evidence: Evidence): string => {
  switch (evidence.kind) {
    case "words":
      return "The words"
    case "beep":
      return "The beep before a recording"
    case "tone":
      return evidence.tone === "fax" ? "A fax tone" : "Three tones of the network"
    case "announcement":
      return evidence.said === null ? "Three tones of the network" : `The network said “${evidence.said}”`
    case "carrier":
      return `The carrier said ${evidence.said}`
  }
}

/** Words are placed at the time at which they begin. */
const startOf = (evidence: Evidence): number => (evidence.kind === "words" ? evidence.started_ms : evidence.at_ms)

export const AnsweredBy = ({ answeredBy: { evidence, verdict } }: { readonly answeredBy: Answered }) => (
  <Panel title="Answered by">
    <PanelBody>
      <p>{verdicts[verdict]}</p>
      {evidence.length > 0 && (
        <ol className="CallFacts-signs">
          {evidence.map((sign) => {
            const second = Math.floor(startOf(sign) / 1000)
            return (
              <li key={`${sign.kind} ${sign.at_ms}`} className="second-line">
                {signOf(sign)} at{" "}
                <Link to="." search={{ t: second }} replace resetScroll={false}>
                  {length(second)}
                </Link>
              </li>
            )
          })}
        </ol>
      )}
    </PanelBody>
  </Panel>
)
