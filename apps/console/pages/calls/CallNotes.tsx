/** What people wrote about the call for each other, and a field to write another note. */
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { longestNote } from "../../../../src/domain/CallNote.ts"
import { useMayChange } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useAct } from "../../data/Act.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { moment } from "../../words/Times.ts"
import { type OpenCall, authorName } from "./Call.ts"

export const CallNotes = ({ call: { id, notes } }: { readonly call: OpenCall }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const mayChange = useMayChange()
  const { isBusy, problem, run } = useAct()
  const zone = useZone()
  const now = useNow()
  const [text, setText] = useState("")
  if (notes.length === 0 && !mayChange) return null
  const refresh = () => queries.invalidateQueries({ queryKey: rpc.calls.pathKey() })
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const refused = await run(async () => {
      await client.calls.addNote.mutate({ id, text })
      await refresh()
    })
    if (refused === undefined) setText("")
  }
  const remove = (note_id: string) =>
    run(async () => {
      await client.calls.deleteNote.mutate({ id, note_id })
      await refresh()
    })
  return (
    <Panel title="Notes">
      <PanelBody>
        {notes.map((note) => (
          <div key={note.id}>
            <p className="CallFacts-note">{note.text}</p>
            <p className="label">
              {authorName(note.by)}, {moment(new Date(note.created_at), now, zone)}
              {mayChange && (
                <Button look="quiet" size="row" isDisabled={isBusy} onPress={() => void remove(note.id)}>
                  Delete note
                </Button>
              )}
            </p>
          </div>
        ))}
        {mayChange && (
          <form className="CallPage-whisper" onSubmit={add}>
            <Field label="New note" rows={2} maxLength={longestNote} value={text} onChange={setText} />
            <Button type="submit" isDisabled={text.trim() === "" || isBusy}>
              Add note
            </Button>
          </form>
        )}
        {problem !== undefined && <ProblemLine problem={problem} />}
      </PanelBody>
    </Panel>
  )
}
