/** A new widget key: which agent, on which pages, how the widget looks there. A secret key is then shown, once. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { defaultTheme } from "../../../../src/domain/DefaultWidgetTheme.ts"
import { NewWidgetKey as Input } from "../../../../src/rpc/inputs/Keys.ts"
import { ChooseAgent } from "../../choose/ChooseAgent.tsx"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { said } from "../../data/Checks.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useSettled } from "../../data/Settled.ts"
import { notice } from "../../shell/Notices.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { WidgetPreview } from "./WidgetPreview.tsx"
import "./WidgetKeys.css"

type Made = Outputs["widgetKeys"]["create"]

export const NewWidgetKey = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [secret, setSecret] = useState<Made>()
  const open = async ({ id }: Made) => {
    onClose()
    await queries.invalidateQueries({ queryKey: rpc.widgetKeys.pathKey() })
    await navigate({ to: "/$account/widget-keys/{-$id}", params: { account: slug, id } })
  }
  if (secret !== undefined) {
    return (
      <ShownOnce title={`The key ${secret.name}`} what="the key" text={secret.key} onStored={() => void open(secret)} />
    )
  }
  return (
    <Form
      onClose={onClose}
      onMade={async (made) => {
        if (made.kind === "secret") return setSecret(made)
        await open(made)
        notice({ text: `${made.name} is ready. Copy its script tag whenever you need it.` })
      }}
    />
  )
}

interface FormProps {
  readonly onClose: () => void
  readonly onMade: (key: Made) => void | Promise<void>
}

const Form = ({ onClose, onMade }: FormProps) => {
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
  const [settledLabel, settledColor, settledGreeting] = [
    useSettled(label),
    useSettled(color),
    useSettled(greeting.trim()),
  ]
  const value = {
    name,
    kind,
    agent_id: agent ?? agents?.[0]?.id ?? "",
    ...(isPublic && { origins: origins.split(/[\s,]+/).filter((origin) => origin !== "") }),
    ...(isPublic && { theme: { label, ...(color !== "" && { color }) } }),
    ...(greeting.trim() !== "" && { greeting: greeting.trim() }),
  }
  const { data: answers } = useQuery(
    rpc.agents.get.queryOptions({ id: value.agent_id }, { enabled: isPublic && value.agent_id !== "" }),
  )
  return (
    <FormDialog
      title="New widget key"
      verb="Create key"
      schema={Input}
      value={value}
      onClose={onClose}
      onSubmit={async () => await onMade(await client.widgetKeys.create.mutate(value))}
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
              { value: "public", word: "For pages", note: "Goes into your pages. Works only on the origins you list." },
              { value: "secret", word: "For a server", note: "Stays on your server. Never send it to a browser." },
            ]}
          />
          <ChooseAgent
            form="field"
            label="Agent that answers"
            chosen={value.agent_id === "" ? null : value.agent_id}
            placeholder={agents?.length === 0 ? "Create an agent first" : "Choose one"}
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
                hint="One per line: scheme and host of the pages, without a path."
              />
              <div className="Form-pair">
                <Field label="Button text" value={label} onChange={setLabel} problem={said(problems["theme/label"])} />
                <Field
                  label="Colour"
                  isMono
                  value={color}
                  onChange={setColor}
                  problem={said(problems["theme/color"])}
                  hint="As #rrggbb. Empty: black."
                />
              </div>
            </>
          )}
          <Field
            label="Opening message"
            rows={2}
            value={greeting}
            onChange={setGreeting}
            problem={said(problems["greeting"])}
            hint="Empty: the agent’s first words."
          />
          {isPublic && (
            <details className="WidgetKeys-look">
              <summary>Preview</summary>
              <WidgetPreview
                agent={answers?.name ?? "The agent"}
                greeting={settledGreeting === "" ? null : settledGreeting}
                theme={{
                  ...defaultTheme,
                  label: settledLabel,
                  ...(/^#[0-9a-f]{6}$/i.test(settledColor) && { color: settledColor }),
                }}
              />
            </details>
          )}
        </>
      )}
    </FormDialog>
  )
}
