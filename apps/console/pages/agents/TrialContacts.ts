/** As whom one tries an agent or a tool: contacts of a campaign, so that its variables are those of real rows. */
import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { useRpc } from "../../data/Rpc.ts"
import { counted } from "../../words/Figures.ts"

export interface TrialContacts {
  readonly choices: ReadonlyArray<{ readonly id: string; readonly word: string }>
  readonly chosen: string
  /** It is known whom there is. */
  readonly isReady: boolean
  readonly choose: (id: string) => void
  /** "as Maria, row 1"; "without a contact". */
  readonly word: string
  /** "Maria", or "the contact". */
  readonly name: string
  readonly phone_number: string | undefined
  readonly campaign: string | undefined
  /** The contact's, and in their place what was typed. */
  readonly variables: Readonly<Record<string, string>>
  readonly fill: (name: string, value: string) => void
  /** Of the contact list. */
  readonly columns: ReadonlyArray<string>
}

const nobody = "nobody"
const some = 20
const noVariables: Readonly<Record<string, string>> = {}

/** Of the agent's newest campaign; without an agent of the newest of all. */
export const useTrialContacts = (agentId?: string): TrialContacts => {
  const rpc = useRpc()
  const campaigns = useQuery(rpc.campaigns.list.queryOptions({ page_size: 100 }, { staleTime: 60_000 }))
  const campaign = campaigns.data?.items.find(({ agent_id }) => agentId === undefined || agent_id === agentId)
  const contacts = useQuery(
    rpc.campaigns.contacts.list.queryOptions(
      { campaign_id: campaign?.id ?? "", page_size: some },
      { enabled: campaign !== undefined, staleTime: 60_000 },
    ),
  )
  const [wanted, setWanted] = useState<string>()
  const [typed, setTyped] = useState(noVariables)
  const rows = contacts.data?.items
  const chosen = wanted ?? rows?.[0]?.id ?? nobody
  const contact = rows?.find(({ id }) => id === chosen)
  const columns = useMemo(() => Object.keys(rows?.[0]?.custom_fields ?? {}), [rows])
  const variables = useMemo(
    () => ({
      ...contact?.custom_fields,
      ...(contact !== undefined && { phone_number: contact.phone_number }),
      ...typed,
    }),
    [contact, typed],
  )
  const first = (fields: Readonly<Record<string, string>>) => fields["first_name"] ?? fields["name"]
  return {
    choices: [
      ...(rows ?? []).map(({ custom_fields, id, phone_number, position }) => ({
        id,
        word: `as ${first(custom_fields) ?? phone_number}, row ${position}`,
      })),
      { id: nobody, word: "without a contact" },
    ],
    chosen,
    isReady:
      campaigns.isError || contacts.isError || (campaigns.isSuccess && (campaign === undefined || contacts.isSuccess)),
    choose: (id) => {
      setWanted(id)
      setTyped(noVariables)
    },
    word:
      contact === undefined
        ? "without a contact"
        : `as for ${first(contact.custom_fields) ?? contact.phone_number}, row ${contact.position} of ${counted(contacts.data?.total ?? 0, "contact")}`,
    name: (contact && (first(contact.custom_fields) ?? contact.phone_number)) ?? "the contact",
    phone_number: contact?.phone_number,
    campaign: campaign?.name,
    variables,
    fill: (name, value) => setTyped((before) => ({ ...before, [name]: value })),
    columns,
  }
}
