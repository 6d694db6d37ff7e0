/** The names of contacts. */
import { useQuery } from "@tanstack/react-query"
import { formatNumber } from "../words/PhoneNumbers.ts"
import type { Outputs } from "./AccountPulse.ts"
import { useRpc } from "./Rpc.ts"

export type Contact = Outputs["campaigns"]["contacts"]["list"]["items"][number]

/** The contact's name in the list. Undefined if the list has none. */
export const givenName = ({ custom_fields }: Pick<Contact, "custom_fields">): string | undefined => {
  const { first_name = "", last_name = "", name = "" } = custom_fields
  const both = `${first_name} ${last_name}`.trim()
  return both !== "" ? both : name.trim() === "" ? undefined : name
}

/** The contact's name, or else the phone number. */
export const nameOf = (contact: Pick<Contact, "custom_fields" | "phone_number">): string =>
  givenName(contact) ?? formatNumber(contact.phone_number)

/** The name of a campaign call's contact. The rows of a list do not change, so the answer never goes stale. */
export const useContactName = (campaign_id: string, contact_id: string | null): string | undefined => {
  const rpc = useRpc()
  const { data } = useQuery(
    rpc.campaigns.contacts.get.queryOptions(
      { campaign_id, contact_id: contact_id ?? "" },
      { enabled: contact_id !== null, staleTime: Number.POSITIVE_INFINITY },
    ),
  )
  return data === undefined ? undefined : nameOf(data)
}
