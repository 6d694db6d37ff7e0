/** Copies of campaigns: a second round for those who were not reached (decision 0081). */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

const path = "/api/v1/campaigns"

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("a copy of a campaign", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("is a draft with the same settings for those who ended as asked, in their order", async (own, owner) => {
    const csv = "phone_number,first_name\n+14155550170,Ada\n+14155550101,Ben\n+14155550175,Cem\n+14155550171,Dee\n"
    const settings = { max_concurrent_calls: "4", callbacks_per_contact: "2", rule_packs: '["uk"]' }
    const window = { days: ["mon"], start: "09:00", end: "10:00", time_zone: "UTC" }
    const { id } = made(await own.upload(csv, settings))
    made(await own.operate(id, "start"))
    await own.ended(id)
    const created = await owner.post(`${path}/${id}/copy`, { name: "Second round", outcomes: ["busy", "no_answer"] })
    const copy = made(created)
    assert.strictEqual(created.status, 201)
    assert.strictEqual(created.headers.get("location"), `${path}/${copy.id}`)
    assert.deepInclude(copy, { name: "Second round", status: "draft", scheduled_at: null, end_reason: null })
    assert.deepInclude(copy, { max_concurrent_calls: 4, callbacks_per_contact: 2, rule_packs: ["uk"] })
    assert.hasAllKeys(copy.rule_pack_versions, ["uk"])
    assert.deepInclude(copy.import, { rows: 3, accepted: 3, duplicates: 0, invalid: 0 })
    assert.deepInclude(copy.counts, { total: 3, pending: 3, failed: 0 })
    const contacts = await own.contacts(copy.id)
    assert.deepStrictEqual(
      contacts.map(({ attempts, custom_fields, position, status }): ReadonlyArray<unknown> => [
        position,
        custom_fields,
        status,
        attempts,
      ]),
      ["Ada", "Cem", "Dee"].map((first_name, at) => [at + 1, { first_name }, "pending", 0]),
    )
    // It is a draft as any other: it changes, takes contacts and starts.
    made(await owner.put(`${path}/${copy.id}`, { calling_window: window }))
    made(await owner.put(`${path}/${copy.id}`, { calling_window: null }))
    made(await owner.post(`${path}/${copy.id}/contacts`, { contacts: [{ phone_number: "+14155550102" }] }))
    made(await own.operate(copy.id, "start"))
    assert.deepInclude((await own.ended(copy.id)).counts, { total: 4, completed: 1, failed: 3 })
    const entries = made(await owner.get("/api/v1/audit?action=campaign.create")).items
    assert.include(
      entries.map(({ object }) => object.id),
      copy.id,
    )
  })

  test("chooses contacts by the disposition of their last call, and refuses a key that does not exist", async (own, owner) => {
    const agent = `/api/agents/${own.line.agent_id}` as const
    const dispositions = ["interested", "wrong_number", "unused"].map((key) => ({ key, label: key }))
    made(await owner.put(agent, { dispositions }))
    const { id } = await own.draft(["+14155550170", "+14155550175", "+14155550270"])
    made(await own.operate(id, "start"))
    await own.ended(id)
    const [busy, missed, undisposed] = await own.contacts(id)
    const set = (call: unknown, key: string) => owner.put(`/api/v1/calls/${String(call)}/disposition`, { key })
    made(await set(busy?.last_call_id, "interested"))
    made(await set(missed?.last_call_id, "wrong_number"))
    const copy = (choice: object) => owner.post(`${path}/${id}/copy`, { name: "By disposition", ...choice })
    const chosen = async (choice: object) =>
      (await own.contacts(made(await copy(choice)).id)).map(({ phone_number }) => phone_number)
    assert.deepStrictEqual(await chosen({ dispositions: ["interested"] }), [busy?.phone_number])
    assert.deepStrictEqual(await chosen({ dispositions: ["wrong_number", "interested"] }), [
      busy?.phone_number,
      missed?.phone_number,
    ])
    // All that is given must match.
    assert.strictEqual(busy?.outcome, "busy")
    assert.strictEqual(undisposed?.outcome, "busy")
    assert.deepStrictEqual(await chosen({ dispositions: ["wrong_number", "interested"], outcomes: ["busy"] }), [
      busy?.phone_number,
    ])
    for (const nothing of [{ dispositions: ["unused"] }, { dispositions: ["wrong_number"], outcomes: ["busy"] }]) {
      assert.deepInclude(await copy(nothing), { status: 409 })
    }
    // A call keeps a disposition that its agent no longer lists.
    made(await owner.put(agent, { dispositions: [{ key: "unused", label: "Unused" }] }))
    assert.deepStrictEqual(await chosen({ dispositions: ["interested"] }), [busy?.phone_number])
    const refused = await copy({ dispositions: ["interested", "intrested"] })
    assert.strictEqual(refused.status, 400)
    assert.deepStrictEqual(refused.body.errors, [
      {
        pointer: "/dispositions/1",
        detail: "must be a disposition of the campaign's agent or of its calls: unused, interested, wrong_number",
      },
    ])
    const { id: other } = await own.draft(numbersOf("01", 1))
    made(await owner.put(agent, { dispositions: [] }))
    const none = await owner.post(`${path}/${other}/copy`, { name: "None", dispositions: ["interested"] })
    assert.deepStrictEqual([none.status, none.body.errors?.[0]?.pointer], [400, "/dispositions"])
  })

  test("has everyone by default, with their external ids, whatever the campaign's status", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 2))
    made(await owner.post(`${path}/${id}/contacts`, { contacts: [{ phone_number: "+14155550199", external_id: "x" }] }))
    const copy = made(await owner.post(`${path}/${id}/copy`, { name: "Again" }))
    assert.deepStrictEqual(
      (await own.contacts(copy.id)).map(({ external_id }) => external_id),
      [null, null, "x"],
    )
  })

  test("calls only from numbers that are still there, and of one carrier", async (own, owner) => {
    const lab = async (number: string) => made(await owner.post("/api/phone-numbers", { number, carrier: "lab" })).id
    const [kept, deleted, moved] = [await lab("+14155550911"), await lab("+14155550912"), await lab("+14155550913")]
    const { id } = made(await own.upload("phone_number\n+14155550101\n"))
    made(await owner.put(`${path}/${id}`, { caller_numbers: [moved, deleted, kept] }))
    made(await own.operate(id, "stop"))
    assert.strictEqual((await owner.delete(`/api/phone-numbers/${deleted}`)).status, 204)
    made(
      await owner.put(`/api/phone-numbers/${moved}`, { carrier: "sip", carrier_config: { server: "sip.example.com" } }),
    )
    const copy = made(await owner.post(`${path}/${id}/copy`, { name: "Later" }))
    assert.deepStrictEqual(copy.caller_numbers, [kept])
    assert.strictEqual((await owner.delete(`/api/phone-numbers/${kept}`)).status, 409)
  })

  test("leaves out people who were withdrawn or erased, and is refused if no one else is left", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 3))
    const [erased, withdrawn, left] = await own.contacts(id)
    made(await owner.delete(`/api/v1/people/${encodeURIComponent(erased!.phone_number!)}`))
    made(await owner.delete(`${path}/${id}/contacts/${withdrawn!.id}`))
    const copy = made(await owner.post(`${path}/${id}/copy`, { name: "The rest" }))
    assert.deepStrictEqual(
      (await own.contacts(copy.id)).map(({ phone_number }) => phone_number),
      [left!.phone_number],
    )
    const refused = await owner.post(`${path}/${id}/copy`, { name: "Nothing", statuses: ["skipped"] })
    assert.deepInclude({ status: refused.status, code: refused.body.code }, { status: 409, code: "invalid_state" })
    const names = made(await owner.get(path)).items.map(({ name }: { name: string }) => name)
    assert.notInclude(names, "Nothing")
  })

  test("has no number of a person who is erased while it is made", async (own, owner) => {
    const numbers = numbersOf("01", 20_000)
    const { id } = await own.draft(numbers)
    const person = numbers[19_999]!
    const [copied] = await Promise.all([
      owner.post(`${path}/${id}/copy`, { name: "During" }),
      owner.delete(`/api/v1/people/${encodeURIComponent(person)}`),
    ])
    const found = made(await owner.get(`${path}/${made(copied).id}/contacts?search=${encodeURIComponent(person)}`))
    assert.strictEqual(found.total, 0)
  })
})
