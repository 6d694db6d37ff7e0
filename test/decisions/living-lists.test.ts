/** Contacts that are added, corrected and withdrawn while their campaign runs (decision 0074). */
import { assert, it } from "@effect/vitest"
import { type Campaigner, type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { zoneOfNoon } from "../support/Noon.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

interface Row {
  readonly phone_number: string
  readonly external_id?: string
  readonly priority?: number
  readonly additional_numbers?: ReadonlyArray<string>
  readonly custom_fields?: Record<string, string>
}

const path = "/api/v1/campaigns"
const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
const leads = (numbers: ReadonlyArray<string>, prefix = "lead"): ReadonlyArray<Row> =>
  numbers.map((phone_number, at) => ({ phone_number, external_id: `${prefix}-${at}` }))
const add = (own: Campaigner, id: string, contacts: ReadonlyArray<Row>) =>
  own.client.post(`${path}/${id}/contacts`, { contacts })
const withdraw = (own: Campaigner, id: string, external_ids: ReadonlyArray<string>) =>
  own.client.post(`${path}/${id}/contacts/withdraw`, { external_ids })
const resultsOf = ({ body }: { readonly body: any }) => body.items.map(({ reason, result }: any) => reason ?? result)

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("the list of a campaign that has not ended", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("takes a batch; the same batch again changes nothing, and a corrected row one contact", async (own, owner) => {
    const { id } = made(await own.upload("phone_number,name\n+14155550101,Ada\n"))
    const [first, second] = leads(numbersOf("01", 2))
    const batch = [first!, { ...second!, custom_fields: { name: "Bob", city: "Paris" } }, { phone_number: "nonsense" }]
    const answer = await add(own, id, batch)
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(resultsOf(answer), ["created", "created", "invalid_phone_number"])
    assert.deepStrictEqual(resultsOf(await add(own, id, batch)), ["unchanged", "unchanged", "invalid_phone_number"])
    const corrected = { ...second!, custom_fields: { name: "Robert" } }
    assert.deepStrictEqual(resultsOf(await add(own, id, [first!, corrected])), ["unchanged", "updated"])
    const contacts = await own.contacts(id)
    assert.deepStrictEqual(
      contacts.map(({ custom_fields, external_id, position }) => ({ custom_fields, external_id, position })),
      [
        { position: 1, external_id: null, custom_fields: { name: "Ada" } },
        { position: 2, external_id: "lead-0", custom_fields: {} },
        { position: 3, external_id: "lead-1", custom_fields: { name: "Robert" } },
      ],
    )
    const campaign = await own.get(id)
    assert.deepInclude(campaign.import, { rows: 3, accepted: 3 })
    assert.strictEqual(campaign.counts.total, 3)
    const changes = made(await owner.get("/api/v1/audit")).items.filter(({ action }: any) =>
      action.endsWith("_contacts"),
    )
    assert.deepStrictEqual(
      changes.map(({ changes }: any) => changes),
      [[{ field: "contacts_updated", after: 1 }], [{ field: "contacts_added", after: 2 }]],
    )
  })

  test("takes priorities from the column that priority_column names, and from later rows (decision 0085)", async (own) => {
    // The report quotes 40 characters of the faulty cell, which would end in half of its last one.
    const faulty = `${"1".repeat(39)}😀`
    const list = `phone_number,score\n+14155550101,\n+14155550102,7\n+14155550103,${faulty}\n+14155550104,100\n`
    const draft = made(await own.upload(list, { priority_column: "score" }))
    assert.deepStrictEqual(
      draft.import.errors.map(({ code, column, line }: any) => ({ code, column, line })),
      [{ code: "invalid_priority", column: "score", line: 4 }],
    )
    const priorities = async () => (await own.contacts(draft.id)).map(({ priority }) => priority)
    assert.deepStrictEqual(await priorities(), [0, 7, 100])
    const row = { phone_number: "+14155550105", external_id: "a", priority: 3 }
    assert.deepStrictEqual(resultsOf(await add(own, draft.id, [row])), ["created"])
    assert.deepStrictEqual(resultsOf(await add(own, draft.id, [{ ...row, priority: 0 }])), ["updated"])
    assert.deepStrictEqual(await priorities(), [0, 7, 100, 0])
    const tooHigh = await add(own, draft.id, [{ ...row, priority: 101 }])
    assert.strictEqual(tooHigh.body.errors?.[0]?.pointer, "/contacts/0/priority")
    const plain = made(await own.upload(list))
    assert.deepStrictEqual(plain.import.errors, [])
    assert.deepStrictEqual(
      (await own.contacts(plain.id)).map(({ custom_fields }) => custom_fields["score"]),
      ["", "7", faulty, "100"],
    )
    const absent = await own.upload(list, { priority_column: "rank" })
    assert.strictEqual(absent.status, 400)
    assert.include(absent.body.detail + JSON.stringify(absent.body.errors), "rank")
    const copy = made(await own.client.post(`${path}/${draft.id}/copy`, { name: "again", statuses: ["pending"] }))
    assert.deepStrictEqual(
      (await own.contacts(copy.id)).map(({ priority }) => priority),
      [0, 7, 100, 0],
    )
  })

  test("takes further numbers from the columns that the form names, and from later rows (decision 0087)", async (own) => {
    const list =
      "phone_number,mobile,work\n+14155550101,(415) 555-0102,+1 415 555 0101\n+14155550103,,\n+14155550104,n/a,\n"
    const columns = { additional_number_columns: JSON.stringify(["mobile", "work"]), default_country: "US" }
    const draft = made(await own.upload(list, columns))
    assert.deepStrictEqual(
      draft.import.errors.map(({ code, column, line }: any) => ({ code, column, line })),
      [{ code: "invalid_additional_number", column: "mobile", line: 4 }],
    )
    const numbers = async (id: string) => (await own.contacts(id)).map((contact) => contact.additional_numbers)
    assert.deepStrictEqual(await numbers(draft.id), [["+14155550102"], []])
    const row = { phone_number: "+14155550105", external_id: "a", additional_numbers: ["(415) 555-0106"] }
    const { additional_numbers: _, ...silent } = row
    const rows = [row, row, silent, { ...row, additional_numbers: ["12"] }, { ...row, additional_numbers: [] }]
    const results: Array<string> = []
    for (const one of rows) results.push(...resultsOf(await add(own, draft.id, [one])))
    const refused = "invalid_additional_number"
    assert.deepStrictEqual(results, ["created", "unchanged", "unchanged", refused, "updated"])
    const tooMany = await add(own, draft.id, [{ ...row, additional_numbers: numbersOf("01", 5) }])
    assert.strictEqual(tooMany.body.errors?.[0]?.pointer, "/contacts/0/additional_numbers")
    const copy = made(await own.client.post(`${path}/${draft.id}/copy`, { name: "again", statuses: ["pending"] }))
    assert.deepStrictEqual(await numbers(copy.id), [["+14155550102"], [], []])
    const plain = made(await own.upload(list))
    assert.deepStrictEqual(await numbers(plain.id), [[], [], []])
    const absent = await own.upload(list, { ...columns, additional_number_columns: '["home"]' })
    assert.include(JSON.stringify(absent.body.errors), "no column named home")
  })

  test("calls a person's next number after one that does not exist, and none of them after an opt-out", async (own, owner) => {
    const [gone, optsOut] = [...numbersOf("88", 1), ...numbersOf("99", 1)]
    const columns = { additional_number_columns: '["mobile","work"]', retries_per_contact: "1" }
    const list = `phone_number,mobile,work\n${gone},${optsOut},+14155550102\n`
    const { id } = made(await own.upload(list, columns))
    made(await own.operate(id, "start"))
    assert.deepInclude((await own.ended(id)).counts, { completed: 1 })
    const [contact] = await own.contacts(id)
    const { attempt_log } = made(await owner.get(`${path}/${id}/contacts/${contact!.id}`))
    assert.deepStrictEqual(
      attempt_log.map(({ outcome, to }: any) => ({ outcome, to })),
      [
        { outcome: "invalid_number", to: gone },
        { outcome: "answered", to: optsOut },
      ],
    )
    const { items } = made(await owner.get("/api/v1/suppressions"))
    assert.sameMembers(
      items.map(({ phone_number }: any) => phone_number),
      [gone, optsOut, "+14155550102"],
    )
    for (const item of items) assert.deepInclude(item, { source: "call", call_id: contact!.last_call_id })
    const revoked = made(await owner.get("/api/v1/consents")).items.map(({ phone_number }: any) => phone_number)
    assert.sameMembers(revoked, [gone, optsOut, "+14155550102"])
    const [header = "", line = ""] = String((await owner.get(`${path}/${id}/results.csv`)).body).split(/\r?\n/)
    assert.match(header, /,dialled_number$/)
    assert.isTrue(line.endsWith(`,'${optsOut}`))
  })

  test("has each number once, or refuses the whole batch, as its policy says", async (own) => {
    const number = "+14155550101"
    const skips = await own.draft([number])
    assert.deepStrictEqual(resultsOf(await add(own, skips.id, [{ phone_number: "+1 (415) 555-0101" }])), ["duplicate"])
    const rejects = await own.draft([number], { duplicate_policy: "reject" })
    const refused = await add(own, rejects.id, [{ phone_number: "+14155550102" }, { phone_number: number }])
    assert.strictEqual(refused.status, 400)
    assert.strictEqual(refused.body.errors?.[0]?.pointer, "/contacts/1")
    assert.strictEqual((await own.get(rejects.id)).counts.total, 1)
    const keeps = await own.draft([number], { duplicate_policy: "keep", default_country: "US" })
    assert.deepStrictEqual(resultsOf(await add(own, keeps.id, [{ phone_number: "(415) 555-0101" }])), ["created"])
  })

  test("is dialled to its end, additions to a running campaign included", async (own) => {
    const { id } = await own.running(numbersOf("60", 4), { max_concurrent_calls: "5" })
    const added = [...numbersOf("61", 3)]
    assert.deepInclude((await add(own, id, leads(added))).body, { created: 3 })
    const ended = await own.ended(id)
    assert.deepInclude(ended.counts, { total: 7, completed: 7 })
    const late = await add(own, id, leads(numbersOf("62", 1), "late"))
    assert.deepInclude(late.body, { status: 409, code: "invalid_state", state: "completed" })
  })

  test("dials a contact whose corrected time zone opens its calling window", async (own) => {
    const noon = zoneOfNoon()
    // Its clock is twelve hours off, so it is midnight there.
    const midnight = zoneOfNoon(new Date(Date.now() + 12 * 3_600_000))
    const calling_window = JSON.stringify({ days: everyDay, start: "09:00", end: "15:00", time_zone: "contact" })
    const [other] = numbersOf("62", 1)
    const { id } = made(await own.upload(`phone_number,time_zone\n${other},${midnight}\n`, { calling_window }))
    const [lead] = leads(numbersOf("63", 1))
    const inZone = (time_zone: string) => add(own, id, [{ ...lead!, custom_fields: { time_zone } }])
    assert.deepStrictEqual(resultsOf(await inZone(midnight)), ["created"])
    made(await own.operate(id, "start"))
    await own.until(id, ({ waiting_for }) => waiting_for === "calling_window")
    assert.deepStrictEqual(resultsOf(await inZone(noon)), ["updated"])
    await own.until(id, ({ counts }) => counts.completed === 1 && counts.pending === 1)
    made(await own.operate(id, "stop"))
  })

  test("takes an addition or is over, when both happen at once: none is lost", async (own) => {
    const taken = await Promise.all(
      Array.from({ length: 3 }, async (_, at) => {
        const { id } = await own.running(numbersOf("88", 1, 1_000 + at * 100))
        let created = 0
        // Additions one after another until the campaign is over: one of them meets its end.
        for (let row = 1; row < 8; row++) {
          const answer = await add(own, id, leads(numbersOf("88", 1, 1_000 + at * 100 + row), `r${row}`))
          if (answer.status === 409) break
          created += made(answer).created
        }
        const { counts } = await own.ended(id)
        assert.deepInclude(counts, { total: 1 + created, failed: 1 + created, pending: 0 })
        return created
      }),
    )
    assert.isAbove(Math.max(...taken), 0)
  })

  test("skips a withdrawn contact for good, and ends when none is left", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 1))
    await add(own, id, leads(numbersOf("02", 2)))
    const [listed] = await own.contacts(id)
    const of = `${path}/${id}/contacts` as const
    const one = made(await owner.delete(`${of}/${listed!.id}`))
    assert.deepInclude(one, { status: "skipped", skip_reason: "withdrawn", attempts: 0 })
    assert.deepStrictEqual(made(await owner.delete(`${of}/${listed!.id}`)).withdrawn_at, one.withdrawn_at)
    assert.strictEqual((await owner.delete(`${of}/${crypto.randomUUID()}`)).status, 404)
    const answers = [await withdraw(own, id, ["lead-0", "none"]), await withdraw(own, id, ["lead-0", "none"])]
    for (const answer of answers) assert.deepStrictEqual(resultsOf(answer), ["withdrawn", "unknown"])
    assert.deepStrictEqual(resultsOf(await add(own, id, leads(["+14155550199"]))), ["settled"])
    await own.operate(id, "start")
    await withdraw(own, id, ["lead-1"])
    const { counts, end_reason } = await own.ended(id)
    assert.strictEqual(end_reason, "finished")
    assert.strictEqual(counts.total, 3)
    assert.isAtLeast(counts.skipped, 2)
  })

  test("of a contact that is withdrawn while the campaign dials, either the call or the withdrawal comes first", async (own) => {
    const { id } = await own.draft(numbersOf("88", 1, 5_000), { max_concurrent_calls: "2" })
    await add(own, id, leads(numbersOf("88", 30)))
    await own.operate(id, "start")
    const answers = await Promise.all(
      // From the end of the list to its beginning, against the dialler.
      Array.from({ length: 10 }, (_, at) =>
        withdraw(
          own,
          id,
          [29, 19, 9].map((last) => `lead-${last - at}`),
        ),
      ),
    )
    const results = new Map(
      answers.flatMap((answer) => made(answer).items.map((item: any) => [item.external_id, item.result])),
    )
    await own.ended(id)
    const contacts = (await own.contacts(id)).filter(({ external_id }) => external_id !== null)
    assert.strictEqual(contacts.length, 30)
    for (const contact of contacts) {
      const isWithdrawn = results.get(contact.external_id) === "withdrawn"
      const expected = isWithdrawn ? { attempts: 0, skip_reason: "withdrawn" } : { attempts: 1, skip_reason: null }
      const { attempts, skip_reason } = contact
      assert.deepStrictEqual<object>({ attempts, skip_reason }, expected, contact.external_id ?? "")
    }
  })

  test("keeps no external id of a person who was erased", async (own, owner) => {
    const { id } = await own.draft(["+14155550101"])
    await add(own, id, leads(["+14155550102"], "ada@example.com"))
    made(await owner.delete("/api/v1/people/%2B14155550102"))
    assert.deepInclude((await own.contacts(id))[1], { external_id: null, skip_reason: "erased" })
  })

  test("is not extended by a key without the scope dial once calls can follow", async (own, owner) => {
    const token = made(await owner.post("/api/v1/api-keys", { name: "k", scopes: ["read", "write"] })).key
    const { id } = await own.draft(numbersOf("75", 1))
    const body = { contacts: leads(["+14155550375"]) }
    assert.strictEqual((await owner.post(`${path}/${id}/contacts`, body, { token })).status, 200)
    await own.operate(id, "start")
    const refused = await owner.post(`${path}/${id}/contacts`, body, { token })
    assert.deepInclude(refused.body, { status: 403, code: "missing_scope", required: "dial" })
    const gone = await owner.post(`${path}/${id}/contacts/withdraw`, { external_ids: ["lead-0"] }, { token })
    assert.strictEqual(gone.status, 200)
    await own.operate(id, "stop")
  })
})
