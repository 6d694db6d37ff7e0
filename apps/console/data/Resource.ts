/** A kind of thing of the account, as the router offers it: a list that is searched page by page, and one by its id. */
import type { ListPage } from "./Every.ts"

interface ListSearch {
  readonly page?: number
  readonly page_size: number
  readonly search?: string
}

interface Options {
  readonly signal: AbortSignal
}

/** One may have more than an item of the list: its ETag. */
export interface Resource<Item, One extends Item = Item> {
  readonly list: { readonly query: (asked: ListSearch, options: Options) => Promise<ListPage<Item>> }
  readonly get: { readonly query: (key: { readonly id: string }, options: Options) => Promise<One> }
}
