/** The search of the command box: campaigns, contacts, calls, numbers, agents, tools, playbooks and FAQs. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { stateOf, stateWord } from "../figures/StateSign.tsx"
import { otherEnd } from "../words/OtherEnd.ts"
import { formatNumber } from "../words/PhoneNumbers.ts"
import { moment } from "../words/Times.ts"
import { useMinute } from "../shell/Clock.ts"
import { useZone } from "./AccountPulse.ts"
import { givenName, nameOf } from "./Contacts.ts"
import { useRpc } from "./Rpc.ts"
import { useSettled } from "./Settled.ts"

export interface Find {
  readonly id: string
  readonly word: string
  readonly aside: string
  readonly to: string
  readonly params: Record<string, string>
  readonly search?: Record<string, string>
}

export interface Finds {
  readonly kinds: ReadonlyArray<{ readonly title: string; readonly finds: ReadonlyArray<Find> }>
  /** True while the results do not belong to the typed text yet. */
  readonly isSearching: boolean
}

/** Whether someone types a phone number: enough digits, and nothing that no number has. */
const isNumber = (typed: string): boolean => /^[+\d\s().-]*$/.test(typed) && typed.replaceAll(/\D/g, "").length >= 5

/** The most results shown of each kind. */
const shown = 5

export const useFinds = (typed: string): Finds => {
  const rpc = useRpc()
  const zone = useZone()
  const now = useMinute()
  const search = useSettled(typed.trim())
  const kept = { enabled: search !== "", placeholderData: keepPreviousData, staleTime: 10_000 }
  const page = { search, page_size: shown }
  const campaigns = useQuery(rpc.campaigns.list.queryOptions(page, kept))
  const agents = useQuery(rpc.agents.list.queryOptions(page, kept))
  const contacts = useQuery(rpc.account.contacts.queryOptions({ search, limit: shown }, kept))
  const calls = useQuery(rpc.calls.list.queryOptions(page, kept))
  const numbers = useQuery(rpc.phoneNumbers.list.queryOptions(page, kept))
  const faqs = useQuery(rpc.faqs.list.queryOptions(page, kept))
  const tools = useQuery(rpc.tools.list.queryOptions(page, kept))
  const playbooks = useQuery(rpc.playbooks.list.queryOptions(page, kept))
  const callers = calls.data?.items.flatMap(({ contact_id }) => contact_id ?? []) ?? []
  const named = useQuery(
    rpc.account.callNames.queryOptions(
      { campaign_ids: [], contact_ids: [...new Set(callers)] },
      { ...kept, enabled: callers.length > 0 },
    ),
  )
  const people = new Map(named.data?.contacts.map((contact) => [contact.id as string, givenName(contact)]))
  if (typed.trim() === "") return { kinds: [], isSearching: false }
  const kinds: Finds["kinds"] = [
    {
      title: "Campaigns",
      finds: (campaigns.data?.items ?? []).map((campaign) => ({
        id: campaign.id,
        word: campaign.name,
        aside: stateWord(stateOf(campaign)).toLowerCase(),
        to: "/$account/campaigns/$id",
        params: { id: campaign.id },
      })),
    },
    {
      title: "Contacts",
      finds: (contacts.data ?? []).map((contact) => ({
        id: contact.id,
        word: nameOf(contact),
        aside: `${formatNumber(contact.phone_number)} · ${contact.campaign_name}`,
        to: "/$account/campaigns/$id/contacts",
        params: { id: contact.campaign_id },
        search: { contact: contact.id },
      })),
    },
    {
      title: "People",
      finds: isNumber(typed)
        ? [...new Set((contacts.data ?? []).map(({ phone_number }) => phone_number))].map((number) => ({
            id: number,
            word: formatNumber(number),
            aside: "all campaigns and calls",
            to: "/$account/people/$number",
            params: { number },
          }))
        : [],
    },
    {
      title: "Calls",
      finds: (calls.data?.items ?? []).map((call) => ({
        id: call.id,
        word: people.get(call.contact_id ?? "") ?? otherEnd(call),
        aside: `${otherEnd(call)} · ${call.agent_name} · ${moment(new Date(call.started_at), now, zone)}`,
        to: "/$account/calls/$id",
        params: { id: call.id },
      })),
    },
    {
      title: "Agents",
      finds: (agents.data?.items ?? []).map(({ id, name }) => ({
        id,
        word: name,
        aside: "agent",
        to: "/$account/agents/$id/{-$tab}",
        params: { id },
      })),
    },
    {
      title: "Phone numbers",
      finds: (numbers.data?.items ?? []).map(({ id, label, number }) => ({
        id,
        word: formatNumber(number),
        aside: label,
        to: "/$account/phone-numbers/{-$id}",
        params: { id },
      })),
    },
    {
      title: "FAQs",
      finds: (faqs.data?.items ?? []).map(({ category, id, question }) => ({
        id,
        word: question,
        aside: category,
        to: "/$account/faqs/{-$id}",
        params: { id },
      })),
    },
    {
      title: "Tools",
      finds: (tools.data?.items ?? []).map(({ category, id, name }) => ({
        id,
        word: name,
        aside: category,
        to: "/$account/tools/$id",
        params: { id },
      })),
    },
    {
      title: "Playbooks",
      finds: (playbooks.data?.items ?? []).map(({ category, id, name }) => ({
        id,
        word: name,
        aside: category,
        to: "/$account/playbooks/{-$id}",
        params: { id },
      })),
    },
  ]
  const asked = [campaigns, agents, contacts, calls, numbers, faqs, tools, playbooks]
  return {
    kinds: kinds.filter(({ finds }) => finds.length > 0),
    isSearching:
      search !== typed.trim() || asked.some(({ isFetching, isPlaceholderData }) => isFetching || isPlaceholderData),
  }
}
