/** A menu of the contacts whose variables an agent or a tool can be tried with. One choice is no contact. */
import { ChooseFrom, type ChooseProps } from "../../choose/Choose.tsx"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { givenName, type TrialContacts, withoutContact } from "./TrialContacts.ts"

export interface ChooseTrialContactProps extends Pick<ChooseProps, "form" | "label"> {
  readonly contacts: TrialContacts
}

const none = { id: withoutContact, word: "without a contact" }

const toChoice = (contact: Parameters<typeof givenName>[0]) => ({
  id: contact.id,
  word: `as ${givenName(contact)}, row ${contact.position}`,
})

export const ChooseTrialContact = ({ contacts, ...menu }: ChooseTrialContactProps) => {
  const rpc = useRpc()
  const { campaigns } = useRpcClient()
  const campaign_id = contacts.campaign?.id
  return (
    <ChooseFrom
      {...menu}
      none={none}
      chosen={contacts.chosen}
      onChoose={contacts.choose}
      under={[...rpc.campaigns.contacts.pathKey(), campaign_id]}
      from={{
        list: {
          query: async (search, options) =>
            campaign_id === undefined
              ? { items: [], total: 0 }
              : campaigns.contacts.list.query({ campaign_id, ...search }, options),
        },
        get: {
          query: ({ id }, options) =>
            campaigns.contacts.get.query({ campaign_id: campaign_id ?? "", contact_id: id }, options),
        },
      }}
      toChoice={toChoice}
    />
  )
}
