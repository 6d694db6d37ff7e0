/** Reads a whole list, page by page. */

/** The largest page that the server returns. */
export const pageSize = 100

export interface ListPage<Item> {
  readonly items: ReadonlyArray<Item>
  readonly total: number
}

/** Reads the first page for the total, and then the others in parallel. */
export const every = async <Item>(
  page: (page: number) => Promise<ListPage<Item>>,
  keyOf: (item: Item) => string,
): Promise<ReadonlyArray<Item>> => {
  const first = await page(0)
  const others = Math.max(0, Math.ceil(first.total / pageSize) - 1)
  const parts = [first, ...(await Promise.all(Array.from({ length: others }, (_, at) => page(at + 1))))]
  // Items added between the requests move others to the next page, so an item may be read twice.
  return [...new Map(parts.flatMap(({ items }) => items).map((item) => [keyOf(item), item])).values()]
}
