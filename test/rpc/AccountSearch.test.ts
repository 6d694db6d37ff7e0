/** Contacts and calls of an account are found as an operator knows them: by a printed number, a full name, a word that was said. */
import { assert, it } from "@effect/vitest"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"

const lab = TestServer.layerWith({ LAB_SPEED: "60" })

const list = [
  "phone_number,first_name,last_name",
  "+12123578201,Maria,Delgado",
  "+12123578202,Maria,Lam",
  "+14155550170,Ravi,Delgado",
].join("\n")

it.layer(lab, { timeout: "120 seconds", excludeTestServices: true })("a search in an account", (it) => {
  it.effect("finds contacts of every campaign, and calls by number, name and what was said", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const rpc = single(url, headersOf(owner))
      const { id } = made(await own.upload(list, { max_concurrent_calls: "3" }))
      const other = made(await own.upload("phone_number,first_name\n+12125550143,Maria\n"))

      const contacts = async (search: string) =>
        (await rpc.account.contacts.query({ search })).map(({ phone_number }) => phone_number)
      assert.deepStrictEqual(await contacts("+1 212 357 8201"), ["+12123578201"])
      assert.deepStrictEqual(await contacts("maria delgado"), ["+12123578201"])
      assert.deepStrictEqual(await contacts("Maria"), ["+12125550143", "+12123578202", "+12123578201"])
      assert.deepStrictEqual(await contacts("nobody of that name"), [])
      const [found] = await rpc.account.contacts.query({ search: "(212) 555-0143" })
      assert.deepInclude(found, { campaign_id: other.id, custom_fields: { first_name: "Maria" } })

      await own.operate(id, "start")
      await own.ended(id)
      const calls = async (search: string) =>
        made(await owner.get(`/api/v1/calls?search=${encodeURIComponent(search)}`)).items.map((call) => call.to)
      assert.deepStrictEqual(await calls("+1 212 357 8201"), ["+12123578201"])
      assert.deepStrictEqual(await calls("Delgado Ravi"), ["+14155550170"])
      assert.sameMembers(await calls("delgado"), ["+12123578201", "+14155550170"])
      const { items } = made(await owner.get("/api/v1/calls?search=Lam"))
      const { transcript } = made(await owner.get(`/api/v1/calls/${items[0]!.id}`))
      const said = transcript.find((line) => line.role === "agent")!.text
      assert.include(await calls(said.slice(0, 60)), "+12123578202")
      assert.deepStrictEqual(await calls("started_ms"), [])
      assert.deepStrictEqual(await calls("100%"), [])
      // The account's own number is on the other side of each call.
      assert.deepStrictEqual(await calls(items[0]!.from!), [])

      const names = await rpc.account.callNames.query({ campaign_ids: [id], contact_ids: [items[0]!.contact_id!] })
      assert.deepInclude(names.contacts, {
        id: items[0]!.contact_id!,
        custom_fields: { first_name: "Maria", last_name: "Lam" },
      })
      assert.strictEqual(names.campaigns[0]?.id, id)
    }),
  )
})
