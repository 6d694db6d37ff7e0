/** One widget key: the script tag, the pages that may use it, and a preview of the widget. */
import { IconX } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Chosen } from "../../shell/Chosen.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { CopyText } from "../../ui/CopyText.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { date } from "../../words/Times.ts"
import { WidgetPreview } from "./WidgetPreview.tsx"
import "./WidgetKeys.css"

/** The tag that puts the widget on a page. */
const scriptTag = (key: string): string =>
  `<script src="${location.origin}/widget.js" data-key="${key}" async></script>`

export interface OneWidgetKeyProps {
  readonly item: Outputs["widgetKeys"]["list"]["items"][number]
  readonly agent: string | undefined
}

export const OneWidgetKey = ({ agent, item }: OneWidgetKeyProps) => {
  const { created_at, greeting, hint, id, key, kind, name, origins, theme } = item
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const zone = useZone()
  const [isAsking, setAsking] = useState(false)
  const isPublic = kind === "public"
  return (
    <Chosen
      name={name}
      beside={<Tag>{kind}</Tag>}
      second={
        <>
          {agent ?? "An agent"} answers · ends in <span className="mono">…{hint}</span> · since{" "}
          {date(new Date(created_at), zone)}
        </>
      }
      acts={
        <Button look="stop" onPress={() => setAsking(true)}>
          Revoke…
        </Button>
      }
    >
      {isPublic && (
        <Panel title="Put it on a page" aside="before the end of the body">
          <PanelBody>
            <p className="WidgetKeys-tag mono">
              <CopyText text={scriptTag(key ?? `pk_live_…${hint}`)} label="the script tag" />
            </p>
            {key === null && (
              <p className="second-line">
                This key was made before Parley kept the text of public keys. Put your copy of it in place of pk_live_…
                {hint}, or make a new key.
              </p>
            )}
          </PanelBody>
        </Panel>
      )}
      <Panel title={isPublic ? "Pages that may use it" : "Where it may be used"}>
        <PanelBody>
          {!isPublic && <p className="quiet">Only on your own server. A request from a browser is refused.</p>}
          {isPublic && origins.length === 0 && (
            <p className="quiet">No page may use it yet. Make a key with the origins of your pages.</p>
          )}
          <ul className="mono">
            {origins.map((origin) => (
              <li key={origin}>{origin}</li>
            ))}
          </ul>
        </PanelBody>
      </Panel>
      {isPublic && (
        <Panel title="How it looks" aside={`${theme.color} · ${theme.mode} · ${theme.position.replace("-", " ")}`}>
          <WidgetPreview agent={agent ?? "The agent"} greeting={greeting} theme={theme} />
        </Panel>
      )}
      <Confirm
        question={`Revoke ${name}?`}
        lines={[
          {
            icon: <IconX aria-hidden />,
            text: isPublic
              ? "Its button disappears from every page at the next load. Conversations in progress continue."
              : "Servers that send this key are refused from now on.",
          },
        ]}
        verb="Revoke the key"
        leave="Keep it"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await client.widgetKeys.remove.mutate({ id })
          await navigate({ to: "/$account/widget-keys/{-$id}", params: { account: slug, id: undefined } })
          await queries.invalidateQueries({ queryKey: rpc.widgetKeys.pathKey() })
          notice({ text: `${name} is revoked.` })
        }}
      />
    </Chosen>
  )
}
