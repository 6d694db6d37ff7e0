/** Creates a webhook, and shows its secret once. */
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { WebhookForm } from "./WebhookForm.tsx"
import { shortUrl, type Webhook } from "./WebhookWords.ts"

export const NewWebhook = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [made, setMade] = useState<Pick<Webhook, "id" | "secret" | "url">>()
  if (made === undefined) return <WebhookForm onClose={onClose} onSaved={async (webhook) => setMade(webhook)} />
  return (
    <ShownOnce
      title={`The secret of ${shortUrl(made.url)}`}
      what="the secret"
      text={made.secret}
      onStored={async () => {
        onClose()
        await queries.invalidateQueries({ queryKey: rpc.webhooks.pathKey() })
        await navigate({ to: "/$account/webhooks/{-$id}", params: { account: slug, id: made.id } })
      }}
    >
      <p className="second-line">Your receiver checks the signature of each delivery with it (Standard Webhooks).</p>
    </ShownOnce>
  )
}
