/** The agent's voice, its model, its limits in a call, and its action on voicemail. */
import { useState } from "react"
import { problemAt } from "../../data/Checks.ts"
import { Editor } from "../../editor/Editor.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { AgentDispositions } from "./AgentDispositions.tsx"
import type { Agent, AgentParts } from "./Agent.ts"

export const VoiceTab = (parts: AgentParts) => {
  const { draft, mayChange, problems } = parts
  const { value } = draft
  const problem = (field: string) => problemAt(problems, field)
  return (
    <div className="VoiceTab">
      <Panel title="Who it is">
        <PanelBody>
          <div className="Form">
            <DraftField form={parts} name="name" label="Name" hint="Callers hear this name." />
            <DraftField
              form={parts}
              name="description"
              label="What it is for"
              hint="For colleagues. The agent does not read it."
            />
            <DraftField form={parts} name="language" label="Language" hint="A tag such as en, en-US or de-AT." />
          </div>
        </PanelBody>
      </Panel>
      <Panel title="Voice and model">
        <PanelBody>
          <div className="Form">
            <div className="Form-pair">
              <Field
                label="Voice from"
                value={value.voice.provider}
                isReadOnly={!mayChange}
                onChange={(provider) => draft.set("voice", { ...value.voice, provider })}
                problem={problem("voice/provider")}
              />
              <Field
                label="Voice"
                value={value.voice.id}
                isReadOnly={!mayChange}
                onChange={(id) => draft.set("voice", { ...value.voice, id })}
                problem={problem("voice/id")}
              />
            </div>
            <NumberField
              label="Speed"
              hint="0.25 to 4; 1 is normal."
              value={value.voice.speed}
              isReadOnly={!mayChange}
              onChange={(speed) => draft.set("voice", { ...value.voice, speed })}
              problem={problem("voice/speed")}
            />
            <div className="Form-pair">
              <Field
                label="Model from"
                value={value.model.provider}
                isReadOnly={!mayChange}
                onChange={(provider) => draft.set("model", { ...value.model, provider })}
                problem={problem("model/provider")}
              />
              <Field
                label="Model"
                value={value.model.id}
                isReadOnly={!mayChange}
                onChange={(id) => draft.set("model", { ...value.model, id })}
                problem={problem("model/id")}
              />
            </div>
            <NumberField
              label="Temperature"
              hint="0 to 2; lower says the same more often."
              value={value.temperature}
              isReadOnly={!mayChange}
              onChange={(it) => draft.set("temperature", it)}
              problem={problem("temperature")}
            />
          </div>
        </PanelBody>
      </Panel>
      <Panel title="On the line">
        <PanelBody>
          <div className="Form">
            <NumberField
              label="Longest call, in seconds"
              hint="10 to 14,400. The call ends then, whatever is being said."
              value={value.max_call_seconds}
              isReadOnly={!mayChange}
              onChange={(it) => draft.set("max_call_seconds", it)}
              problem={problem("max_call_seconds")}
            />
            <NumberField
              label="Silence that ends it, in seconds"
              hint="2 to 120."
              value={value.silence_timeout_seconds}
              isReadOnly={!mayChange}
              onChange={(it) => draft.set("silence_timeout_seconds", it)}
              problem={problem("silence_timeout_seconds")}
            />
            <Switch
              isOn={value.interruptible}
              isDisabled={!mayChange}
              onChange={(isOn) => draft.set("interruptible", isOn)}
            >
              May be interrupted
            </Switch>
            <DraftField
              form={parts}
              name="disclosure"
              label="Said first on every call"
              hint="For example: This is an automated call from Trattoria Roma. It cannot be interrupted, and each call shows whether it was heard. Variables work as in the first message."
              rows={2}
            />
            <Field
              label="Key against further calls"
              hint="0 to 9, * or #, or empty. On calls that you place, the agent says which key it is and puts the number of anyone who presses it on the do-not-call list."
              value={value.opt_out_key ?? ""}
              isReadOnly={!mayChange}
              onChange={(key) => draft.set("opt_out_key", key.trim() === "" ? null : key.trim())}
              problem={problem("opt_out_key")}
            />
            <Switch isOn={value.recording} isDisabled={!mayChange} onChange={(isOn) => draft.set("recording", isOn)}>
              Calls are recorded
            </Switch>
            {value.recording && (
              <DraftField
                form={parts}
                name="recording_notice"
                label="Said first on a recorded call"
                hint="For example: This call is recorded. It cannot be interrupted, and the other side is recorded after it. Calls are recorded over SIP, over media streams, and voice calls in web pages."
                rows={2}
              />
            )}
            {mayChange ? (
              <Radios
                label="When a voicemail answers"
                isLabelSeen
                chosen={value.voicemail_action}
                onChoose={(action) => draft.set("voicemail_action", action)}
                choices={[
                  { value: "hang_up", word: "Hang up", note: "The contact is tried again." },
                  { value: "leave_message", word: "Leave a message", note: "The contact is done." },
                ]}
              />
            ) : (
              <p>When a voicemail answers: {value.voicemail_action === "hang_up" ? "hang up" : "leave a message"}.</p>
            )}
          </div>
        </PanelBody>
      </Panel>
      <AgentDispositions {...parts} />
      <OutcomeSchema
        value={value.outcome_schema}
        mayChange={mayChange}
        problem={problem("outcome_schema")}
        onChange={(it) => draft.set("outcome_schema", it)}
      />
    </div>
  )
}

interface NumberFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: number
  readonly isReadOnly: boolean
  readonly onChange: (value: number) => void
  readonly problem: string | undefined
}

/** Text that is not a number stays in the field, with a problem. */
const NumberField = ({ onChange, problem, value, ...rest }: NumberFieldProps) => {
  const [typed, setTyped] = useState<string>()
  const shown = typed !== undefined && Number(typed) === value && typed.trim() !== "" ? typed : (typed ?? String(value))
  const isNumber = typed === undefined || (typed.trim() !== "" && Number.isFinite(Number(typed)))
  return (
    <Field
      {...rest}
      inputMode="decimal"
      value={isNumber && typed !== undefined && Number(typed) !== value ? String(value) : shown}
      onChange={(text) => {
        setTyped(text)
        if (text.trim() !== "" && Number.isFinite(Number(text))) onChange(Number(text))
      }}
      problem={isNumber ? problem : "Must be a number."}
    />
  )
}

const OutcomeSchema = ({
  mayChange,
  onChange,
  problem,
  value,
}: {
  readonly value: Agent["outcome_schema"]
  readonly mayChange: boolean
  readonly problem: string | undefined
  readonly onChange: (value: Agent["outcome_schema"]) => void
}) => {
  const [text, setText] = useState(() => (value === null ? "" : JSON.stringify(value, null, 2)))
  const [fault, setFault] = useState<string>()
  const type = (typed: string) => {
    setText(typed)
    if (typed.trim() === "") {
      setFault(undefined)
      onChange(null)
      return
    }
    try {
      const schema: unknown = JSON.parse(typed)
      if (typeof schema !== "object" || schema === null || Array.isArray(schema))
        return setFault("Must be a JSON object.")
      setFault(undefined)
      onChange(schema as Agent["outcome_schema"])
    } catch (error) {
      setFault(error instanceof Error ? error.message : "This is not valid JSON.")
    }
  }
  return (
    <Panel
      title="Result of a call"
      aside="JSON Schema of what record_outcome takes. If the agent records nothing, it is read from the transcript."
    >
      <Editor
        label="Result of a call, a JSON Schema"
        language="json"
        value={text}
        onChange={type}
        isReadOnly={!mayChange}
      />
      {(fault ?? problem) !== undefined && <p className="Field-problem Agent-diff-inside">{fault ?? problem}</p>}
    </Panel>
  )
}
