/** A new widget key: which agent, on which pages, how its button looks; and the key itself, which is shown once. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { NewWidgetKey as Input } from "../../../../src/rpc/inputs/Keys.ts"
import { ChooseAgent } from "../../choose/ChooseAgent.tsx"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { CopyText } from "../../ui/CopyText.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { scriptTag } from "./WidgetTag.ts"
import "./WidgetKeys.css"

type Made = Outputs["widgetKeys"]["create"]

export const NewWidgetKey = ({ onClose }: { readonly onClose: () => void }) => {
  const [made, setMade] = useState<Made>()
  return made === undefined ? <Form onClose={onClose} onMade={setMade} /> : <Shown made={made} onClose={onClose} />
}

const Shown = ({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <ShownOnce
      title={`The key ${made.name}`}
      what="the key"
      text={made.key}
      onStored={async () => {
        onClose()
        await queries.invalidateQueries({ queryKey: rpc.widgetKeys.pathKey() })
        await navigate({ to: "/$account/widget-keys/{-$id}", params: { account: slug, id: made.id } })
      }}
    >
      {made.kind === "public" && (
        <p className="WidgetKeys-tag mono">
          <CopyText text={scriptTag(made.key)} label="the script tag" />
        </p>
      )}
    </ShownOnce>
  )
}

const Form = ({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: (key: Made) => void }) => {
  const client = useRpcClient()
  const rpc = useRpc()
  const agents = useQuery(rpc.agents.list.queryOptions({ page_size: 1 })).data?.items
  const [name, setName] = useState("")
  const [kind, setKind] = useState<"public" | "secret">("public")
  const [agent, setAgent] = useState<string>()
  const [origins, setOrigins] = useState("")
  const [color, setColor] = useState("")
  const [label, setLabel] = useState("Talk to us")
  const [greeting, setGreeting] = useState("")
  const isPublic = kind === "public"
  const value = {
    name,
    kind,
    agent_id: agent ?? agents?.[0]?.id ?? "",
    ...(isPublic && { origins: origins.split(/[\s,]+/).filter((origin) => origin !== "") }),
    ...(isPublic && { theme: { label, ...(color !== "" && { color }) } }),
    ...(greeting.trim() !== "" && { greeting: greeting.trim() }),
  }
  return (
    <FormDialog
      title="New widget key"
      verb="Make the key"
      schema={Input}
      value={value}
      onClose={onClose}
      onSubmit={async () => onMade(await client.widgetKeys.create.mutate(value))}
    >
      {(problems) => (
        <>
          <Field label="Name" autoFocus value={name} onChange={setName} problem={said(problems["name"])} />
          <Radios
            label="Kind"
            isLabelSeen
            chosen={kind}
            onChoose={setKind}
            choices={[
              { value: "public", word: "For pages", note: "Stands in a page, and works on its origins alone." },
              { value: "secret", word: "For a server", note: "Stays on your server; a browser must never have it." },
            ]}
          />
          <ChooseAgent
            form="field"
            label="Agent that answers"
            chosen={value.agent_id === "" ? null : value.agent_id}
            placeholder={agents?.length === 0 ? "Make an agent first" : "Choose one"}
            onChoose={setAgent}
          />
          {problems["agent_id"] !== undefined && <p className="Field-problem">Choose an agent.</p>}
          {isPublic && (
            <>
              <Field
                label="Origins"
                rows={2}
                isMono
                value={origins}
                onChange={setOrigins}
                placeholder="https://www.example.com"
                problem={said(Object.entries(problems).find(([field]) => field.startsWith("origins"))?.[1])}
                hint="One a line: scheme and host of the pages, without a path."
              />
              <div className="Form-pair">
                <Field
                  label="Words on the button"
                  value={label}
                  onChange={setLabel}
                  problem={said(problems["theme/label"])}
                />
                <Field
                  label="Colour"
                  isMono
                  value={color}
                  onChange={setColor}
                  problem={said(problems["theme/color"])}
                  hint="As #rrggbb. Left empty: ink."
                />
              </div>
            </>
          )}
          <Field
            label="Said first in a chat"
            rows={2}
            value={greeting}
            onChange={setGreeting}
            problem={said(problems["greeting"])}
            hint="Left empty, the agent says its own first words."
          />
        </>
      )}
    </FormDialog>
  )
}
