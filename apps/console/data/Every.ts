/** Reads a whole list, page by page, so that no name is missing. */

/** As many as a page may have. */
export const pageSize = 100

export interface ListPage<Item> {
  readonly items: ReadonlyArray<Item>
  readonly total: number
}

/** The first page tells how many there are; the others are asked for together. */
export const every = async <Item>(
  page: (page: number) => Promise<ListPage<Item>>,
  keyOf: (item: Item) => string,
): Promise<ReadonlyArray<Item>> => {
  const first = await page(0)
  const others = Math.max(0, Math.ceil(first.total / pageSize) - 1)
  const parts = [first, ...(await Promise.all(Array.from({ length: others }, (_, at) => page(at + 1))))]
  // What came to the list meanwhile has pushed its last ones into the next page.
  return [...new Map(parts.flatMap(({ items }) => items).map((item) => [keyOf(item), item])).values()]
}
