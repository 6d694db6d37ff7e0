/** A new tool begins with its name and its kind; what it does is a page of its own. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { NewTool as Input } from "../../../../src/rpc/inputs/Tools.ts"
import { useAccount } from "../../data/Account.tsx"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
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
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [kind, setKind] = useState<Kind>("python")
  const [url, setUrl] = useState("")
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
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await client.tools.create.mutate(value)
        await queries.invalidateQueries({ queryKey: rpc.tools.pathKey() })
        await navigate({ to: "/$account/tools/$id", params: { account: slug, id } })
      }}
    >
      {(problems) => (
        <>
          <Field
            label="Name"
            autoFocus
            isMono
            value={name}
            onChange={setName}
            problem={said(problems["name"])}
            hint="The model calls the tool by this name, for example estimate_copay."
          />
          <Field
            label="When should the agent use it?"
            rows={2}
            value={description}
            onChange={setDescription}
            problem={said(problems["description"])}
            hint="The model reads this sentence to decide."
          />
          <Radios<Kind>
            label="Type"
            isLabelSeen
            chosen={kind}
            onChoose={setKind}
            choices={[
              { value: "python", word: "Python", note: "A function that runs in a sandbox without network access." },
              { value: "http", word: "HTTP", note: "A request to your server." },
            ]}
          />
          {kind === "http" && (
            <Field
              label="URL"
              isMono
              value={url}
              onChange={setUrl}
              placeholder="https://"
              problem={said(problems["implementation_config/url"] ?? problems["implementation_config"])}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
