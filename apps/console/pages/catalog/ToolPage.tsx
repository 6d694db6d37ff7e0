/** One tool: its definition for the model, its code or request, and a dialog to try it. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Navigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { ToolChange } from "../../../../src/rpc/inputs/Tools.ts"
import { useAccount } from "../../data/Account.tsx"
import { useDraft } from "../../data/Draft.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useSaving } from "../../data/Saving.ts"
import { notice } from "../../shell/Notices.tsx"
import { Page } from "../../shell/Page.tsx"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { Button } from "../../ui/Button.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { SaveGuards } from "../../ui/SaveGuards.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { usersSentence } from "./CatalogUsers.ts"
import { DeleteOfCatalog } from "./DeleteOfCatalog.tsx"
import { HttpPanel } from "./HttpPanel.tsx"
import { PythonPanel } from "./PythonPanel.tsx"
import { kindWord, type Tool } from "./Tool.ts"
import { ToolForm } from "./ToolForm.tsx"
import { withoutSecrets } from "./ToolSecrets.ts"
import { TryTool } from "./TryTool.tsx"
import "../../ui/FilterChips.css"
import "./Catalog.css"
import "./ToolPage.css"

const from = "/$account/tools/$id"

export const ToolPage = () => {
  const { slug } = useAccount()
  const { id } = useParams({ from })
  const rpc = useRpc()
  const tool = useQuery(rpc.tools.get.queryOptions({ id }))
  if (tool.data !== undefined && tool.data.id !== id) {
    return <Navigate to={from} params={{ account: slug, id: tool.data.id }} replace />
  }
  if (tool.data !== undefined) return <ToolEditor key={tool.data.id} tool={tool.data} />
  return (
    <Page title="Tool" name="Tool" crumbs={[{ word: "Tools", to: "/$account/tools", params: { account: slug } }]}>
      <Awaiting of="tool" asked={tool} notFound={`There is no tool ${id} in this account.`} />
    </Page>
  )
}

/** Copies the list: the router's type wants a mutable one. */
const toInput = ({ tags, ...others }: Partial<Tool>) => ({ ...others, ...(tags !== undefined && { tags: [...tags] }) })

const ToolEditor = ({ tool }: { readonly tool: Tool }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const draft = useDraft("tool", tool.id, tool, withoutSecrets)
  const users = useQuery(rpc.tools.users.queryOptions({ id: tool.id }))
  const [isDeleting, setDeleting] = useState(false)
  const saving = useSaving({
    draft,
    schema: ToolChange,
    send: (etag) => client.tools.update.mutate({ ...toInput(draft.changes), id: tool.id, etag }),
    refresh: () => queries.invalidateQueries({ queryKey: rpc.tools.pathKey() }),
    onSaved: (saved) => {
      queries.setQueryData(rpc.tools.get.queryKey({ id: saved.id }), saved)
      const agents = users.data?.length ?? 0
      notice({
        text: `${saved.name} saved.${agents > 0 ? ` ${agents === 1 ? "Its agent has" : `Its ${agents} agents have`} a new version.` : ""}`,
      })
    },
  })
  const { mayChange, problems } = saving
  const parts = { tool, draft, problems, mayChange }
  return (
    <Page
      title={<span className="ToolPage-name">{tool.name}</span>}
      name={tool.name}
      crumbs={[{ word: "Tools", to: "/$account/tools", params: { account: slug } }]}
      beside={
        <>
          <Tag>{kindWord(tool)}</Tag>
          <Tag>{tool.category}</Tag>
          {tool.modified_from_default && <Tag tone="note">changed</Tag>}
          {draft.isDirty && <Tag tone="note">unsaved</Tag>}
        </>
      }
      second={users.data && usersSentence(users.data, { fixesName: !tool.is_default })}
      acts={
        mayChange && (
          <>
            {!tool.is_default && (
              <Button look="stop" onPress={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
            <SaveButton saving={saving} draft={draft} />
          </>
        )
      }
    >
      <ReadOnlyNote />
      {tool.is_default && (
        <p className="Catalog-banner">Built-in tool, run by Parley itself. You can change its description.</p>
      )}
      <SaveGuards saving={saving} draft={draft} saved={tool} name={tool.name} within={`/${slug}/tools/${tool.id}`} />
      <div className="ToolPage">
        <ToolForm {...parts} />
        <div className="ToolPage-right">
          {!tool.is_default &&
            (tool.implementation_type === "http" ? <HttpPanel {...parts} /> : <PythonPanel {...parts} />)}
          <TryTool {...parts} />
        </div>
      </div>
      {isDeleting && (
        <DeleteOfCatalog
          kind="tool"
          name={tool.name}
          users={users.data ?? []}
          onDelete={() => client.tools.remove.mutate({ id: tool.id })}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  )
}
