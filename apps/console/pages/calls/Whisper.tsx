/** Tells the agent of a call in progress what to do next. The other side does not hear it. */
import { IconMessageShare } from "@tabler/icons-react"
import { type FormEvent, useState } from "react"
import { longestWhisper } from "../../../../src/domain/Whisper.ts"
import { useAct } from "../../data/Act.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import "./CallPage.css"

export const Whisper = ({ id, agent }: { readonly id: string; readonly agent: string }) => {
  const client = useRpcClient()
  const { isBusy, problem, run } = useAct()
  const [text, setText] = useState("")
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const refused = await run(() => client.calls.whisper.mutate({ id, text }))
    if (refused === undefined) setText("")
  }
  return (
    <Panel title={`Whisper to ${agent}`}>
      <PanelBody>
        <form className="CallPage-whisper" onSubmit={send}>
          <Field
            label="Instruction"
            hint="The agent follows it in its next reply, in its own words. The other side doesn't hear it."
            placeholder="Offer the appointment on Friday instead"
            maxLength={longestWhisper}
            value={text}
            onChange={setText}
          />
          <Button type="submit" icon={<IconMessageShare aria-hidden />} isDisabled={text.trim() === "" || isBusy}>
            Send
          </Button>
        </form>
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
    </Panel>
  )
}
