/** The transfers of a call to people, and how each ended. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import type { OpenCall } from "./Call.ts"
import { Facts } from "./Facts.tsx"

type Transfer = OpenCall["transfers"][number]

const Result = ({ transfer: { end_reason, outcome } }: { readonly transfer: Transfer }) => {
  if (end_reason === "transferred") return <>Took the call</>
  if (end_reason === "not_taken") return <>Didn't take the call</>
  return outcome === null ? <>In progress</> : <OutcomeWord of={outcome} />
}

export const Transfers = ({ transfers }: Pick<OpenCall, "transfers">) => {
  const { slug } = useAccount()
  return (
    <Panel title="Transfers">
      <PanelBody>
        <Facts
          facts={transfers.map((transfer) => ({
            label: transfer.to ?? "Unknown",
            value: (
              <Link to="/$account/calls/$id" params={{ account: slug, id: transfer.call_id }}>
                <Result transfer={transfer} />
              </Link>
            ),
          }))}
        />
      </PanelBody>
    </Panel>
  )
}
