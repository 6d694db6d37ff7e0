/** What came of a call: the fields of its result, each with the words that it was read from, and why the call ended. */
import { Link } from "@tanstack/react-router"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { length } from "../../words/Times.ts"
import { endWords, isBeingRead, type OpenCall, toWords } from "./Call.ts"
import { type Fact, Facts } from "./Facts.tsx"
import "./CallResult.css"

type Field = OpenCall["result_fields"][number]

export const CallResult = ({ call }: { readonly call: OpenCall }) => {
  const facts: ReadonlyArray<Fact> = [
    ...call.result_fields.map((field) => ({ label: toWords(field.name), value: <Value field={field} /> })),
    ...(call.end_reason === null ? [] : [{ label: "Ended", value: endWords[call.end_reason] }]),
  ]
  const state = stateOf(call)
  return (
    <Panel title="Outcome" aside={<Source call={call} />}>
      <PanelBody>
        {state !== undefined && <p className="quiet CallResult-state">{state}</p>}
        {facts.length > 0 && <Facts facts={facts} />}
      </PanelBody>
    </Panel>
  )
}

const Source = ({ call }: { readonly call: OpenCall }) => {
  if (call.result_fields.some(({ source }) => source === "extracted")) return "read from the transcript"
  return call.result === null ? null : <span className="mono">record_outcome</span>
}

const stateOf = (call: OpenCall): string | undefined => {
  const { extraction, result } = call
  if (isBeingRead(call)) return "Reading the outcome from the transcript…"
  if (extraction?.state === "failed" && extraction.reason !== null) return failures[extraction.reason]
  return result === null && extraction === null && call.end_reason === null ? "No outcome recorded yet." : undefined
}

type Failure = NonNullable<NonNullable<OpenCall["extraction"]>["reason"]>

const failures: Record<Failure, string> = {
  agent_deleted: "The outcome wasn't read from the transcript: the agent was deleted first.",
  answer_unusable: "The outcome wasn't read from the transcript: the model's answer didn't fit the agent's fields.",
  interrupted: "The outcome wasn't read from the transcript: the server stopped each time it tried.",
  model_failed: "The outcome wasn't read from the transcript: the model didn't answer.",
  no_model: "The outcome wasn't read from the transcript: there is no key for the agent's model.",
  too_costly: "The outcome wasn't read from the transcript: the agent's fields are too complex to check.",
  transcript_deleted: "The outcome wasn't read from the transcript: the transcript was deleted first.",
}

const Value = ({ field: { quote, source, value } }: { readonly field: Field }) => {
  if (source === null) return <span className="quiet">not said</span>
  return (
    <>
      {toText(value)}
      {quote !== null && (
        <Link
          to="."
          search={{ t: Math.floor(quote.started_ms / 1000) }}
          replace
          resetScroll={false}
          className="CallResult-quote"
          title={quote.text}
        >
          <span className="mono">{length(Math.floor(quote.started_ms / 1000))}</span> “{quote.text}”
        </Link>
      )}
    </>
  )
}

const toText = (value: Field["value"]): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "string") return value
  return value === null ? "–" : JSON.stringify(value)
}
