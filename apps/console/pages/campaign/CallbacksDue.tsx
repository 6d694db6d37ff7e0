/** The people who are to be called back next: who, and when on their own clock. Each opens the contact. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { beat } from "../../data/AccountPulse.ts"
import { nameOf } from "../../data/Contacts.ts"
import type { CampaignView } from "../../data/LiveViews.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import { CallbackTime } from "./CallbackTime.tsx"
import { useCampaign } from "./CurrentCampaign.ts"
import "./CallbacksDue.css"

/** At first, and after the user asks for all: the most that one request returns. */
const few = 5
const most = 100

export const CallbacksDue = ({
  callbacks,
}: {
  readonly callbacks: CampaignView["snapshot"]["waiting"]["callbacks"]
}) => {
  const { slug } = useAccount()
  const { id } = useCampaign()
  const rpc = useRpc()
  const [shown, setShown] = useState(few)
  const total = callbacks.due + callbacks.waiting
  const { data } = useQuery(
    rpc.campaigns.callbacks.list.queryOptions(
      { campaign_id: id, page_size: shown },
      { enabled: total > 0, refetchInterval: beat * 2, placeholderData: keepPreviousData },
    ),
  )
  if (total === 0) return null
  const items = data?.items ?? []
  return (
    <Panel className="Callbacks-panel" title="Callbacks" aside={`${count(total)} promised`}>
      <ul className="Callbacks">
        {items.map((contact) => (
          <li key={contact.id} className="Callbacks-row">
            <Link
              to="/$account/campaigns/$id/contacts"
              params={{ account: slug, id }}
              search={{ contact: contact.id }}
              className="Callbacks-name"
            >
              {nameOf(contact)}
            </Link>
            <span className="second-line">
              <CallbackTime contact={contact} />
            </span>
          </li>
        ))}
        {total > items.length && items.length > 0 && (
          <li className="Callbacks-row second-line">
            and {count(total - items.length)} later{" "}
            {shown === few && (
              <Button size="row" look="quiet" onPress={() => setShown(most)}>
                {total <= most ? `Show all ${count(total)}` : `Show ${most}`}
              </Button>
            )}
          </li>
        )}
      </ul>
    </Panel>
  )
}
