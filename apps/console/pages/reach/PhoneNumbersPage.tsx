/** Phone numbers: which ones campaigns dial from, and which agents answer them. The chosen one is beside the list. */
import type { Outputs } from "../../data/AccountPulse.ts"
import { useAgentNames } from "../../data/Campaigns.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { SearchedListPage } from "../../shell/SearchedListPage.tsx"
import type { SideEntry } from "../../ui/SideList.tsx"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { isAnswered } from "./CarrierConfig.ts"
import { NewNumber } from "./NewNumber.tsx"
import { OneNumber } from "./OneNumber.tsx"

type PhoneNumber = Outputs["phoneNumbers"]["list"]["items"][number]

const entryOf = (
  { carrier, carrier_config, inbound_agent_id, label, number }: PhoneNumber,
  agents: ReadonlyMap<string, string>,
): Pick<SideEntry, "aside" | "name" | "state"> => ({
  name: <span className="mono">{formatNumber(number)}</span>,
  state: label === "" ? carrier : `${label} · ${carrier}`,
  aside: isAnswered({ carrier, carrier_config, inbound_agent_id })
    ? `${agents.get(inbound_agent_id ?? "") ?? "an agent"} answers`
    : "dials only",
})

export const PhoneNumbersPage = () => {
  const rpc = useRpc()
  const { phoneNumbers } = useRpcClient()
  const agents = useAgentNames()
  return (
    <SearchedListPage
      title="Phone numbers"
      one="phone number"
      to="/$account/phone-numbers/{-$id}"
      under={rpc.phoneNumbers.pathKey()}
      from={phoneNumbers}
      nameOf={({ number }) => formatNumber(number)}
      entryOf={(number) => entryOf(number, agents)}
      dialog={NewNumber}
      about="Campaigns dial from a number, and an agent can answer it. A lab number rings no real phone and costs nothing."
      search="Find a number or a label"
      searched="Search by number, however it is written, or by label."
    >
      {(number) => <OneNumber key={number.id} number={number} />}
    </SearchedListPage>
  )
}
