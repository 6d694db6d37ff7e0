/** Creates a widget key: the agent, the pages that may use it, and the widget's look. A secret key is shown once. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { defaultTheme } from "../../../../src/domain/DefaultWidgetTheme.ts"
import { NewWidgetKey as Input } from "../../../../src/rpc/inputs/Keys.ts"
import { ChooseAgent } from "../../choose/ChooseAgent.tsx"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { problemAt, problemWithin } from "../../data/Checks.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useSettled } from "../../data/Settled.ts"
import { notice } from "../../shell/Notices.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
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

interface NewKey {
  readonly name: string
  readonly kind: "public" | "secret"
  /** Undefined stands for the first agent. */
  readonly agent: string | undefined
  /** The typed text: one origin a line. */
  readonly origins: string
  readonly color: string
  readonly label: string
  readonly greeting: string
}

interface FormProps {
  readonly onClose: () => void
  readonly onMade: (key: Made) => void | Promise<void>
}

const Form = ({ onClose, onMade }: FormProps) => {
  const client = useRpcClient()
  const rpc = useRpc()
  const agents = useQuery(rpc.agents.list.queryOptions({ page_size: 1 })).data?.items
  const draft = useFields<NewKey>({
    name: "",
    kind: "public",
    agent: undefined,
    origins: "",
    color: "",
    label: "Talk to us",
    greeting: "",
  })
  const { agent, color, greeting, kind, label, name, origins } = draft.value
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
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => await onMade(await client.widgetKeys.create.mutate(value))}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name" autoFocus />
          <Radios
            label="Kind"
            isLabelSeen
            chosen={kind}
            onChoose={(chosen) => draft.set("kind", chosen)}
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
            onChoose={(id) => draft.set("agent", id)}
          />
          {form.problems["agent_id"] !== undefined && <p className="Field-problem">Choose an agent.</p>}
          {isPublic && (
            <>
              <DraftField
                form={form}
                name="origins"
                label="Origins"
                rows={2}
                isMono
                placeholder="https://www.example.com"
                problem={problemWithin(form.problems, "origins")}
                hint="One per line: scheme and host of the pages, without a path."
              />
              <div className="Form-pair">
                <DraftField
                  form={form}
                  name="label"
                  label="Button text"
                  problem={problemAt(form.problems, "theme/label")}
                />
                <DraftField
                  form={form}
                  name="color"
                  label="Colour"
                  isMono
                  problem={problemAt(form.problems, "theme/color")}
                  hint="As #rrggbb. Empty: black."
                />
              </div>
            </>
          )}
          <DraftField
            form={form}
            name="greeting"
            label="Opening message"
            rows={2}
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
