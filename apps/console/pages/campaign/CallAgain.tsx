/** Makes a new campaign for the contacts that the filter shows. */
import { IconRefresh } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { type Campaign, useRefreshCampaigns } from "../../data/Campaigns.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import type { outcomes } from "../../figures/Outcomes.ts"
import { CampaignCopy } from "../../../../src/rpc/inputs/Campaigns.ts"
import { Button } from "../../ui/Button.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { counted } from "../../words/Figures.ts"

export interface CallAgainProps {
  readonly campaign: Pick<Campaign, "id" | "name">
  readonly chosen: {
    readonly status?: keyof Campaign["counts"]
    readonly outcome?: (typeof outcomes)[number]
    readonly disposition?: string
  }
  readonly total: number
}

export const CallAgain = (props: CallAgainProps) => {
  const mayChange = useMayChange()
  const [isOpen, setOpen] = useState(false)
  if (!mayChange) return null
  return (
    <>
      <Button size="row" icon={<IconRefresh aria-hidden />} onPress={() => setOpen(true)}>
        Call again…
      </Button>
      {isOpen && <Copy {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

const Copy = ({ campaign, chosen, onClose, total }: CallAgainProps & { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const client = useRpcClient()
  const navigate = useNavigate()
  const refresh = useRefreshCampaigns()
  const draft = useFields({ name: `${campaign.name}, again` })
  const copy = {
    id: campaign.id,
    name: draft.value.name,
    ...(chosen.status !== undefined && { statuses: [chosen.status] }),
    ...(chosen.outcome !== undefined && { outcomes: [chosen.outcome] }),
    ...(chosen.disposition !== undefined && { dispositions: [chosen.disposition] }),
  }
  return (
    <FormDialog
      title={`Call ${counted(total, "contact")} again`}
      verb="Make the draft"
      schema={CampaignCopy}
      draft={draft}
      value={copy}
      onSubmit={async () => {
        const { id } = await client.campaigns.copy.mutate(CampaignCopy.parse(copy))
        await refresh()
        await navigate({
          to: "/$account/campaigns/new",
          params: { account: slug },
          search: { draft: id, step: "pace" },
        })
      }}
      onClose={onClose}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name of the new campaign" />
          <p className="second-line">
            It has the settings of {campaign.name} and starts only when you start it. People who were withdrawn or
            erased are left out.
          </p>
        </>
      )}
    </FormDialog>
  )
}
