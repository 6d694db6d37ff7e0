/** One playbook: its text with variables and tools highlighted, and the tools that it needs. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { PlaybookChange } from "../../../../src/rpc/inputs/Playbooks.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { problemAt } from "../../data/Checks.ts"
import { useDraft } from "../../data/Draft.ts"
import { useEveryTool } from "../../data/WholeLists.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Editor } from "../../editor/Editor.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { Field } from "../../ui/Field.tsx"
import { OneOfCatalog } from "./OneOfCatalog.tsx"

type Playbook = Outputs["playbooks"]["get"]

const namesIn = (typed: string): ReadonlyArray<string> =>
  typed
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Copies the list: the router's type wants a mutable one. */
const toInput = ({ tool_names, ...others }: Partial<Playbook>) => ({
  ...others,
  ...(tool_names !== undefined && { tool_names: [...tool_names] }),
})

export const PlaybookEditor = ({ playbook }: { readonly playbook: Playbook }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const draft = useDraft("playbook", playbook.id, playbook)
  const users = useQuery(rpc.playbooks.users.queryOptions({ id: playbook.id }))
  const tools = useEveryTool()
  const { prompt, tool_names } = draft.value
  const known = useMemo(() => tools?.map((tool) => tool.name) ?? [], [tools])
  const context = useMemo(() => ({ tools: known, columns: [], saved: playbook.prompt }), [known, playbook.prompt])
  const unknown = tools === undefined ? [] : tool_names.filter((tool) => !known.includes(tool))
  return (
    <OneOfCatalog
      kind="playbook"
      saved={playbook}
      title={playbook.name}
      draft={draft}
      users={users.data}
      schema={PlaybookChange}
      onSave={(etag) =>
        client.playbooks.update.mutate({
          ...toInput(draft.changes),
          id: playbook.id,
          etag,
        })
      }
      onDelete={() => client.playbooks.remove.mutate({ id: playbook.id })}
      queryKey={rpc.playbooks.pathKey()}
    >
      {(form) => (
        <div className="Form">
          <div className="Form-pair">
            <DraftField form={form} name="display_name" label="Label" hint="Heading of the playbook in the prompt." />
            <DraftField form={form} name="category" label="Category" />
          </div>
          <DraftField
            form={form}
            name="description"
            label="Purpose"
            hint="For your colleagues. The agent doesn’t read it."
          />
          <div>
            <h3 className="Catalog-label">Text</h3>
            <div className="Catalog-prompt">
              <Editor
                label="Text of the playbook"
                language="prompt"
                value={prompt}
                onChange={(typed) => draft.set("prompt", typed)}
                isReadOnly={!form.mayChange}
                context={context}
              />
            </div>
            {form.problems["prompt"] !== undefined && (
              <p className="Field-problem">{problemAt(form.problems, "prompt")}</p>
            )}
          </div>
          <Field
            label="Tools it needs"
            isMono
            defaultValue={playbook.tool_names.join(", ")}
            isReadOnly={!form.mayChange}
            onChange={(typed) => draft.set("tool_names", namesIn(typed))}
            problem={problemAt(form.problems, "tool_names")}
            hint={
              unknown.length === 0
                ? "Separated by commas. An agent without one of these tools is warned."
                : `There is no tool ${unknown.join(", ")} yet.`
            }
          />
          <DraftField form={form} name="name" label="Name" isMono isReadOnly={playbook.is_default} />
        </div>
      )}
    </OneOfCatalog>
  )
}
