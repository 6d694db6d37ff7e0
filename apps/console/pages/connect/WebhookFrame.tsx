/** One webhook with its actions. A problem comes first, in a sentence that says what will happen. */
import { IconX } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { Chosen } from "../../shell/Chosen.tsx"
import { notice } from "../../shell/Notices.tsx"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { counted } from "../../words/Figures.ts"
import { date } from "../../words/Times.ts"
import { WebhookForm } from "./WebhookForm.tsx"
import { WebhookTest } from "./WebhookTest.tsx"
import { Trouble, Waiting } from "./WebhookTrouble.tsx"
import { eventsWord, shortUrl, type Webhook } from "./WebhookWords.ts"

export const WebhookFrame = ({ children, webhook }: { readonly webhook: Webhook; readonly children: ReactNode }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const zone = useZone()
  const [open, setOpen] = useState<"edit" | "delete" | "test">()
  const close = () => setOpen(undefined)
  const again = () => queries.invalidateQueries({ queryKey: rpc.webhooks.pathKey() })
  const { created_at, description, disabled_reason, enabled, events, id, pending_deliveries, url } = webhook
  const name = shortUrl(url)
  const toggle = useMutation({
    mutationFn: () => client.webhooks.update.mutate({ id, enabled: !enabled }),
    onSuccess: async (after) => {
      await again()
      notice({ text: `${name} is ${after.enabled ? "on again, for events from now on" : "off"}.` })
    },
  })
  return (
    <Chosen
      name={name}
      title={<span className="Webhooks-url">{name}</span>}
      second={
        <>
          {eventsWord(events)} · signed · since {date(new Date(created_at), zone)}
          {description !== "" && ` · ${description}`}
        </>
      }
      acts={
        <>
          <Button onPress={() => setOpen("edit")}>Edit</Button>
          <Button onPress={() => setOpen("test")}>Send a test</Button>
          <ActionMenu
            label={`Actions for ${name}`}
            actions={[
              { id: "toggle", word: enabled ? "Switch off" : "Switch on", onAct: () => toggle.mutate() },
              { id: "delete", word: "Delete…", isStop: true, onAct: () => setOpen("delete") },
            ]}
          />
        </>
      }
    >
      {toggle.isError && <ProblemLine problem={problemOf(toggle.error)} />}
      {disabled_reason === "gone" && (
        <Trouble
          first="It was switched off, because the receiver answered 410."
          second="410 means gone for good. It is told nothing until it is switched on again."
        />
      )}
      {enabled && pending_deliveries > 0 && <Waiting webhook={webhook} />}
      {children}
      {open === "test" && <WebhookTest webhook={webhook} onClose={close} />}
      {open === "edit" && (
        <WebhookForm
          webhook={webhook}
          onClose={close}
          onSaved={async () => {
            await again()
            close()
            notice({ text: "The webhook is saved." })
          }}
        />
      )}
      {open === "delete" && (
        <Confirm
          question={`Delete ${name}?`}
          lines={[
            {
              icon: <IconX aria-hidden />,
              text:
                pending_deliveries === 0
                  ? "It gets no more events, and the list of its deliveries is deleted."
                  : `${counted(pending_deliveries, "waiting delivery", "waiting deliveries")} ${pending_deliveries === 1 ? "is" : "are"} given up.`,
            },
          ]}
          verb="Delete the webhook"
          leave="Keep it"
          isOpen
          onClose={close}
          onConfirm={async () => {
            await client.webhooks.remove.mutate({ id })
            await navigate({ to: "/$account/webhooks/{-$id}", params: { account: slug, id: undefined } })
            await again()
            notice({ text: `${name} is deleted.` })
          }}
        />
      )}
    </Chosen>
  )
}
