/** A resource of the account as the router offers it: its list, searched page by page, and one item by its id. */
import type { ListPage } from "./Every.ts"

interface ListSearch {
  readonly page?: number
  readonly page_size: number
  readonly search?: string
}

interface Options {
  readonly signal: AbortSignal
}

/** `get` may return more than the list's items have, such as the ETag. */
export interface Resource<Item, One extends Item = Item> {
  readonly list: { readonly query: (asked: ListSearch, options: Options) => Promise<ListPage<Item>> }
  readonly get: { readonly query: (key: { readonly id: string }, options: Options) => Promise<One> }
}
