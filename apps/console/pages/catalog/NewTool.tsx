/** Creates a tool from its name and its kind. The rest is edited on its page. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { NewTool as Input } from "../../../../src/rpc/inputs/Tools.ts"
import { useAccount } from "../../data/Account.tsx"
import { problemAt } from "../../data/Checks.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Radios } from "../../ui/Radio.tsx"

type Kind = "python" | "http"

const codeOf = (name: string): string =>
  `def ${name.replaceAll("-", "_")}(arguments, context):\n    return {"done": True}\n`

export const NewTool = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const draft = useFields<{ name: string; description: string; kind: Kind; url: string }>({
    name: "",
    description: "",
    kind: "python",
    url: "",
  })
  const { description, kind, name, url } = draft.value
  const value = {
    name,
    description,
    implementation_type: kind,
    ...(kind === "python" ? { implementation_code: codeOf(name) } : { implementation_config: { url } }),
  }
  return (
    <FormDialog
      title="New tool"
      verb="Create tool"
      schema={Input}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.tools.create.mutate(value)
        await queries.invalidateQueries({ queryKey: rpc.tools.pathKey() })
        await navigate({ to: "/$account/tools/$id", params: { account: slug, id } })
      }}
    >
      {(form) => (
        <>
          <DraftField
            form={form}
            name="name"
            label="Name"
            autoFocus
            isMono
            hint="The model calls the tool by this name, for example estimate_copay."
          />
          <DraftField
            form={form}
            name="description"
            label="When should the agent use it?"
            rows={2}
            hint="The model reads this sentence to decide."
          />
          <Radios<Kind>
            label="Type"
            isLabelSeen
            chosen={kind}
            onChoose={(chosen) => draft.set("kind", chosen)}
            choices={[
              { value: "python", word: "Python", note: "A function that runs in a sandbox without network access." },
              { value: "http", word: "HTTP", note: "A request to your server." },
            ]}
          />
          {kind === "http" && (
            <DraftField
              form={form}
              name="url"
              label="URL"
              isMono
              placeholder="https://"
              problem={problemAt(form.problems, "implementation_config/url", "implementation_config")}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
