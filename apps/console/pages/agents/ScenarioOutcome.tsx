/** The result of one scenario: its checks, and the transcript with the line that failed. */
import { IconCheck, IconX } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { SpeakerArc } from "../../figures/SpeakerArc.tsx"
import { counted } from "../../words/Figures.ts"
import { length } from "../../words/Times.ts"
import { endWords } from "../calls/Call.ts"
import type { Run } from "./ScenarioRuns.ts"
import { ToolCall } from "./ToolCall.tsx"

type Result = Run["results"][number]

export const ScenarioOutcome = ({
  isRunning,
  result,
  scenario,
}: {
  readonly scenario: Run["scenarios"][number]
  readonly result: Result | undefined
  readonly isRunning: boolean
}) => {
  const calls = result?.calls ?? []
  const shown = calls.find(({ passed }) => !passed) ?? calls[0]
  return (
    <details className="Panel Scenario" open={result?.passed === false}>
      <summary className="Scenario-head">
        {result === undefined ? null : result.passed ? (
          <IconCheck aria-hidden className="Agent-good" />
        ) : (
          <IconX aria-hidden className="Agent-bad" />
        )}
        <span className="name">{scenario.name}</span>
        <span className="second-line Scenario-word">
          {result === undefined
            ? isRunning
              ? "not yet"
              : "not run"
            : `${result.passed ? "passes" : "fails"}${calls.length > 1 ? `, ${result.calls_passed} of ${calls.length} calls` : ""}`}
        </span>
      </summary>
      {shown !== undefined && (
        <div className="Scenario-body">
          <ul className="Scenario-checks">
            {shown.checks.map(({ detail, expectation, passed }) => (
              <li key={expectation} className={passed ? "" : "Scenario-broken"}>
                {passed ? (
                  <IconCheck aria-hidden className="Agent-good" />
                ) : (
                  <IconX aria-hidden className="Agent-bad" />
                )}
                <span>
                  {expectation}
                  {!passed && detail !== "" && <span className="Table-second">{detail}</span>}
                </span>
              </li>
            ))}
            {shown.error !== null && <li className="Scenario-broken">{shown.error}</li>}
          </ul>
          <div className="Scenario-talk">
            {talkOf(shown, brokenText(shown))}
            <p className="label">
              {counted(shown.turns, "turn")}, {length(shown.duration_seconds)} of phone time.{" "}
              {shown.end_reason === null ? "An error ended it" : endWords[shown.end_reason]}.
            </p>
          </div>
        </div>
      )}
    </details>
  )
}

type Call = Result["calls"][number]

/** The details of the failed checks. They quote the transcript line that broke the rule, which is marked by it. */
const brokenText = ({ checks }: Call): string =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ detail }) => detail)
    .join("\n")

const talkOf = ({ tool_invocations, transcript }: Call, broken: string): ReactNode =>
  transcript.map(({ at, role, text, tool_invocation_id }, place) => {
    const call = tool_invocations.find(({ id }) => id === tool_invocation_id)
    if (role === "tool") return call === undefined ? null : <ToolCall key={place} call={call} />
    const breaks = text !== "" && broken.includes(text)
    return (
      <p key={`${at} ${place}`} className={`Scenario-line Scenario-${role} ${breaks ? "Scenario-broken" : ""}`}>
        <SpeakerArc of={role === "agent" ? "agent" : "contact"} label={role === "agent" ? "Agent" : "Caller"} />
        <span>{text}</span>
      </p>
    )
  })
