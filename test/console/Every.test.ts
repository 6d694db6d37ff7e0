import { assert, describe, it } from "@effect/vitest"
import { every, pageSize } from "../../apps/console/data/Every.ts"

const listOf = (total: number) => Array.from({ length: total }, (_, at) => ({ id: `item ${at}` }))

const idOf = ({ id }: { readonly id: string }) => id

const asked = (items: ReadonlyArray<{ readonly id: string }>) => {
  const pages: Array<number> = []
  const page = async (page: number) => {
    pages.push(page)
    return { items: items.slice(page * pageSize, (page + 1) * pageSize), total: items.length }
  }
  return { page, pages }
}

describe("a list that is read page by page", () => {
  it.each([0, 1, 99, 100, 101, 250])("is the whole list, of %i", async (total) => {
    const items = listOf(total)
    const { page, pages } = asked(items)
    assert.deepStrictEqual(await every(page, idOf), items)
    assert.lengthOf(pages, Math.max(1, Math.ceil(total / pageSize)))
  })

  it("has nothing twice when the list grows between two pages", async () => {
    let items = listOf(150)
    const found = await every(async (page) => {
      const part = await asked(items).page(page)
      items = [{ id: "new" }, ...items]
      return part
    }, idOf)
    assert.deepStrictEqual(found, listOf(150))
  })
})
