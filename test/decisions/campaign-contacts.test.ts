/** What a campaign shows of its contacts and calls, as decisions §1 and §2 have it. */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { TestServer } from "../support/TestServer.ts"

const path = "/api/v1/campaigns"

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), { excludeTestServices: true })(
  "a campaign's contacts and calls (decisions §1)",
  (it) => {
    const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

    test("contacts are found by number, by any field, by status and outcome", async (own) => {
      const { id } = made(await own.upload("phone_number,name,city\n+14155550101,Ada,Lo_don\n+14155550170,Bob,Paris\n"))
      const found = async (query: string) =>
        (await own.contacts(id, query)).map((contact) => contact.custom_fields.name)
      assert.deepStrictEqual(await found("search=0170"), ["Bob"])
      assert.deepStrictEqual(await found("search=paris"), ["Bob"])
      assert.deepStrictEqual(await found(`search=${encodeURIComponent("+1 (415) 555-0170")}`), ["Bob"])
      assert.deepStrictEqual(await found("search=paris%20bob"), ["Bob"])
      assert.deepStrictEqual(await found("search=paris%20ada"), [])
      assert.deepStrictEqual(await found("search=o_d"), ["Ada"])
      assert.deepStrictEqual(await found("search=city"), [])
      assert.deepStrictEqual(await found("search=o&page_size=1&page=1"), ["Bob"])
      const quoted = await own.upload(
        'phone_number,name,said\n+14155550101,Ada,"a ""b"" \\ c"\n+14155550170,Bob,"1\n2"\n',
      )
      const matching = async (search: string) =>
        (await own.contacts(made(quoted).id, `search=${encodeURIComponent(search)}`)).map(({ position }) => position)
      assert.deepStrictEqual(await matching('"B" \\'), [1])
      assert.deepStrictEqual(await matching("1\n2"), [2])
      assert.deepStrictEqual(await matching(String.raw`1\n2`), [])
      assert.deepStrictEqual(await matching('", "'), [])
      await own.operate(id, "start")
      await own.ended(id)
      assert.deepStrictEqual(await found("status=failed&outcome=busy"), ["Bob"])
      assert.deepStrictEqual(await found("status=completed&page=0"), ["Ada"])
    })

    test("the timeline counts calls by when they began, and outcomes", async (own, owner) => {
      const { id } = await own.running([...numbersOf("01", 3), ...numbersOf("70", 2)], { max_concurrent_calls: "5" })
      await own.ended(id)
      const { bucket_seconds, items } = made(await owner.get(`${path}/${id}/timeline`))
      assert.strictEqual(bucket_seconds, 300)
      assert.strictEqual(
        items.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0),
        5,
      )
      for (const { at } of items) assert.strictEqual(Date.parse(at) % 300_000, 0)
      const fine = made(await owner.get(`${path}/${id}/timeline?bucket_seconds=1`))
      const outcomes: Record<string, number> = {}
      for (const item of fine.items) {
        for (const [outcome, calls] of Object.entries<number>(item.outcomes)) {
          outcomes[outcome] = (outcomes[outcome] ?? 0) + calls
        }
      }
      assert.deepStrictEqual(outcomes, { answered: 3, busy: 2 })
      assert.strictEqual((await owner.get(`${path}/${id}/timeline?bucket_seconds=0`)).status, 400)
    })
  },
)
