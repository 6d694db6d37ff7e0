/** The contacts of a campaign, so that an agent or a tool can be tried with the variables of real rows. */
import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { counted } from "../../words/Figures.ts"

type Contact = Pick<Outputs["campaigns"]["contacts"]["get"], "id" | "custom_fields" | "phone_number" | "position">

export interface TrialContacts {
  /** `withoutContact`, or a contact's id. */
  readonly chosen: string
  /** True once the contacts are loaded. */
  readonly isReady: boolean
  readonly choose: (id: string) => void
  /** "as for Maria, row 1 of 20 contacts"; "without a contact". */
  readonly word: string
  /** "Maria", or "the contact". */
  readonly name: string
  readonly phone_number: string | undefined
  /** The campaign of the contacts. Undefined if there is none. */
  readonly campaign: { readonly id: string; readonly name: string } | undefined
  /** The contact's variables; typed values replace them. */
  readonly variables: Readonly<Record<string, string>>
  readonly fill: (name: string, value: string) => void
  /** The columns of the contact list. */
  readonly columns: ReadonlyArray<string>
}

export const withoutContact = "nobody"
const staleTime = 60_000
const noVariables: Readonly<Record<string, string>> = {}

export const givenName = ({ custom_fields, phone_number }: Contact): string =>
  custom_fields["first_name"] ?? custom_fields["name"] ?? phone_number ?? "an erased person"

/** The contacts of the agent's newest campaign, or of the newest of all without an agent. */
export const useTrialContacts = (agentId?: Outputs["agents"]["get"]["id"]): TrialContacts => {
  const rpc = useRpc()
  const newest = { page_size: 1, ...(agentId !== undefined && { agent_id: agentId }) }
  const campaigns = useQuery(rpc.campaigns.list.queryOptions(newest, { staleTime }))
  const campaign = campaigns.data?.items[0]
  const ofCampaign = { campaign_id: campaign?.id ?? "" }
  const contacts = useQuery(
    rpc.campaigns.contacts.list.queryOptions(
      { ...ofCampaign, page_size: 1 },
      { enabled: campaign !== undefined, staleTime },
    ),
  )
  const [wanted, setWanted] = useState<string>()
  const [typed, setTyped] = useState(noVariables)
  const first: Contact | undefined = contacts.data?.items[0]
  const chosen = wanted ?? first?.id ?? withoutContact
  const isOther = chosen !== withoutContact && chosen !== first?.id
  const other = useQuery(
    rpc.campaigns.contacts.get.queryOptions(
      { ...ofCampaign, contact_id: chosen },
      { enabled: isOther && campaign !== undefined, staleTime },
    ),
  )
  const contact: Contact | undefined = chosen === withoutContact ? undefined : isOther ? other.data : first
  const columns = useMemo(() => Object.keys(first?.custom_fields ?? {}), [first])
  const variables = useMemo(
    () => ({
      ...contact?.custom_fields,
      ...(contact !== undefined && contact.phone_number !== null && { phone_number: contact.phone_number }),
      ...typed,
    }),
    [contact, typed],
  )
  return {
    chosen,
    isReady:
      campaigns.isError ||
      contacts.isError ||
      (campaigns.isSuccess && (campaign === undefined || contacts.isSuccess) && !(isOther && other.isPending)),
    choose: (id) => {
      setWanted(id)
      setTyped(noVariables)
    },
    word:
      contact === undefined
        ? "without a contact"
        : `as for ${givenName(contact)}, row ${contact.position} of ${counted(contacts.data?.total ?? 0, "contact")}`,
    name: contact === undefined ? "the contact" : givenName(contact),
    phone_number: contact?.phone_number ?? undefined,
    campaign,
    variables,
    fill: (name, value) => setTyped((before) => ({ ...before, [name]: value })),
    columns,
  }
}
