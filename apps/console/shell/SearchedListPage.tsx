/** A list that the server searches and pages, with the chosen item beside it: the one in the URL, or else the first. */
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query"
import { Navigate, useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useAccount, useMayChange } from "../data/Account.tsx"
import { capitalize } from "../data/Checks.ts"
import type { Resource } from "../data/Resource.ts"
import { Awaiting } from "../ui/Awaiting.tsx"
import type { SideEntry } from "../ui/SideList.tsx"
import { SideListPage, type SideListPageProps } from "./SideListPage.tsx"

type Passed = Pick<SideListPageProps, "about" | "dialog" | "note" | "one" | "search" | "searched" | "title">

export interface SearchedListPageProps<Item, One extends Item> extends Passed {
  /** The page's own route. */
  readonly to: "/$account/faqs/{-$id}" | "/$account/playbooks/{-$id}" | "/$account/phone-numbers/{-$id}"
  /** Prefix of the query keys: invalidating it reloads the list and the chosen item. */
  readonly under: QueryKey
  readonly from: Resource<Item, One>
  readonly entryOf: (item: Item) => Pick<SideEntry, "aside" | "name" | "state">
  /** The item's name as plain text. */
  readonly nameOf: (item: Item) => string
  /** Renders the chosen item. */
  readonly children: (one: One) => ReactNode
}

const pageSize = 25

export const SearchedListPage = <Item extends { readonly id: string }, One extends Item>(
  props: SearchedListPageProps<Item, One>,
) => {
  const { children, entryOf, from, nameOf, to, under, ...page } = props
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const { id } = useParams({ strict: false })
  const { page: pageNumber = 1, q } = useSearch({ strict: false })
  const asked = { page: pageNumber - 1, page_size: pageSize, ...(q !== undefined && { search: q }) }
  const list = useQuery({
    queryKey: [...under, { type: "page", ...asked }],
    queryFn: async ({ signal }) => ({ ...(await from.list.query(asked, { signal })), page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  const chosen = id ?? list.data?.items[0]?.id
  const one = useQuery({
    queryKey: [...under, { type: "one", id: chosen }],
    queryFn: ({ signal }) => from.get.query({ id: chosen ?? "" }, { signal }),
    enabled: chosen !== undefined,
  })
  const linkOf = (shown: string | undefined) => ({ to, params: { account: slug, id: shown } })
  if (id !== undefined && one.data !== undefined && one.data.id !== id) {
    return <Navigate {...linkOf(one.data.id)} search={(before) => before} replace />
  }
  const opened = one.data === undefined ? capitalize(page.one) : nameOf(one.data)
  return (
    <SideListPage
      {...page}
      bare={linkOf(undefined)}
      list={list}
      entries={(list.data?.items ?? []).map((item) => ({ ...linkOf(item.id), ...entryOf(item), id: item.id }))}
      chosen={chosen}
      opened={id === undefined ? undefined : opened}
      mayAdd={mayChange}
    >
      {one.data !== undefined && children(one.data)}
      <Awaiting of={page.one} asked={one} notFound={`There is no ${page.one} with this id in this account.`} />
    </SideListPage>
  )
}
