/** The consent ledger: what it records and refuses, and which calls it permits (decision 0077; docs/consent.md). */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const path = "/api/v1/consents"
const [ada, grace, mary] = ["+14155550101", "+14155550102", "+14155550103"]
const basis = "express_written"
const consent = (phone_number: string, more: object = {}) => ({
  phone_number,
  basis,
  at: "2026-01-02T03:04:05Z",
  ...more,
})

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("the consent ledger", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("records a batch once, however often it is sent, also at the same time", async (_, owner) => {
    const consents = [
      consent(ada, { external_id: "a", text: "Yes, call me." }),
      consent("+1 (415) 555-0102", { external_id: "b", expires_at: "2031-01-01T00:00:00+01:00" }),
    ]
    const answers = await Promise.all([1, 2, 3].map(() => owner.post(path, { consents })))
    const results = answers.flatMap((answer) => made(answer).items.map(({ result }) => result))
    assert.strictEqual(results.filter((result) => result === "recorded").length, 2)
    const list = made(await owner.get(`${path}?phone_number=%2B14155550102`))
    assert.strictEqual(list.total, 1)
    assert.deepInclude(list.items[0], {
      kind: "consent",
      phone_number: grace,
      basis,
      channel: "automated_call",
      at: "2026-01-02T03:04:05.000Z",
      expires_at: "2030-12-31T23:00:00.000Z",
      used_at: null,
    })
    assert.deepStrictEqual(made(await owner.get(`${path}/${list.items[0]!.id}`)), list.items[0])
  })

  test("refuses a consent without a time, and another fact under a known id, and then records nothing", async (_, owner) => {
    const { at: _at, ...timeless } = consent(ada)
    refused(await owner.post(path, { consents: [consent(grace), timeless] }), 400, "invalid_request", "/consents/1/at")
    made(await owner.post(path, { consents: [consent(ada, { external_id: "a" })] }))
    const other = [consent(grace), consent(ada, { external_id: "a", text: "Other words" })]
    refused(await owner.post(path, { consents: other }), 400, "invalid_request", "/consents/1/external_id")
    assert.strictEqual(made(await owner.get(path)).total, 1)
  })

  test("takes consents from the columns of a list, once, and leaves out a row with a basis and no time", async (own, owner) => {
    const list = [
      "phone_number,consent_basis,consent_at,consent_text,consent_expires_at",
      `${ada},express,2026-01-02T03:04:05Z,Yes,`,
      `${grace},express,,Yes,`,
      `${mary},,,,`,
      `${mary.replace("03", "04")},express,2026-01-02T03:04:05Z,,2031-01-01T00:00:00Z`,
      `${mary.replace("03", "05")},spoken,2026-01-02T03:04:05Z,,`,
    ].join("\n")
    const { import: report } = made(await own.upload(list))
    assert.deepInclude(report, { accepted: 3, invalid: 2 })
    assert.deepInclude(report.errors[0], { line: 3, column: "consent_at", code: "invalid_consent" })
    assert.deepInclude(report.errors[1], { line: 6, column: "consent_basis", code: "invalid_consent" })
    made(await own.upload(list))
    const { items } = made(await owner.get(path))
    assert.deepStrictEqual(
      items.map(({ expires_at, phone_number, source, text }) => [phone_number, text, source, expires_at]).sort(),
      [
        [ada, "Yes", "contact list", null],
        ["+14155550104", null, "contact list", "2031-01-01T00:00:00.000Z"],
      ],
    )
    // A list that is refused records nothing.
    refused(await own.upload(list, { max_concurrent_calls: "0" }), 400, "invalid_request")
    const year0 = [consent(ada, { at: "0000-01-01T00:00:00Z" })]
    refused(await owner.post(path, { consents: year0 }), 400, "invalid_request", "/consents/0/at")
  })

  test("takes a row's consent for its first number, and for all of its numbers if the row says so", async (own, owner) => {
    const csv = [
      "phone_number,mobile,work,consent_basis,consent_at,consent_numbers",
      `${ada},+14155550201,+14155550202,express,2026-01-02T03:04:05Z,all`,
      `${grace},+14155550203,,express,2026-01-02T03:04:05Z,`,
      `${mary},,,express,2026-01-02T03:04:05Z,all`,
      "+14155550104,+14155550204,,express,2026-01-02T03:04:05Z,first",
      "+14155550105,+14155550205,,express,2026-01-02T03:04:05Z,mobile",
      "+14155550106,+14155550206,,,,all",
    ].join("\n")
    const columns = { additional_number_columns: '["mobile","work"]' }
    const { import: report } = made(await own.upload(csv, columns))
    assert.deepInclude(report, { accepted: 5, invalid: 1 })
    assert.deepInclude(report.errors[0], { line: 6, column: "consent_numbers", code: "invalid_consent" })
    // A list that is sent again records nothing twice.
    made(await own.upload(csv, columns))
    const { items } = made(await owner.get(path))
    assert.deepStrictEqual(items.map(({ phone_number }) => phone_number).sort(), [
      ada,
      grace,
      mary,
      "+14155550104",
      "+14155550201",
      "+14155550202",
    ])
    // Numbers that the form does not name are variables, so no consent is recorded for them.
    made(
      await own.upload(
        "phone_number,mobile,consent_basis,consent_at,consent_numbers\n+14155550107,+14155550207,express,2026-01-02T03:04:05Z,all\n",
      ),
    )
    assert.strictEqual(made(await owner.get(`${path}?phone_number=%2B14155550207`)).total, 0)
    assert.strictEqual(made(await owner.get(`${path}?phone_number=%2B14155550107`)).total, 1)
  })

  test("lets a campaign dial only who has the consent, and stamps it into the decision", async (own, owner) => {
    const [recorded] = made(
      await owner.post(path, { consents: [consent(ada), consent(grace, { subject: "Solar" }), consent(mary)] }),
    ).items
    made(await owner.post(`${path}/revocations`, { revocations: [{ phone_number: mary, source: "letter" }] }))
    const required_consent = { basis: [basis, "express"] as const }
    const draft = await own.draft([ada, grace, mary], { required_consent: JSON.stringify(required_consent) })
    assert.deepStrictEqual(draft.required_consent, required_consent)
    const report = made(await owner.post(`/api/v1/campaigns/${draft.id}/preflight`, {}))
    assert.deepInclude(report.skipped, { no_consent: 2, do_not_call: 0 })
    made(await own.operate(draft.id, "start"))
    await own.ended(draft.id)
    const contacts = await own.contacts(draft.id)
    assert.deepStrictEqual(
      contacts.map(({ attempts, skip_reason }) => [attempts, skip_reason]),
      [
        [1, null],
        [0, "no_consent"],
        [0, "no_consent"],
      ],
    )
    const detailOf = async (at: number) =>
      made(await owner.get(`/api/v1/campaigns/${draft.id}/contacts/${contacts[at]!.id}`))
    const decision = (await detailOf(0)).attempt_log[0]?.decision
    assert.deepInclude(decision?.["consent"], { id: recorded!.id, basis, at: "2026-01-02T03:04:05.000Z" })
    assert.deepInclude((await detailOf(1)).decisions[0], { reason: "no_consent", record: { required_consent } })
    assert.isNotNull(made(await owner.get(`${path}/${recorded!.id}`)).used_at)

    const solar = { ...required_consent, subject: "solar" }
    const about = await own.running([ada, grace], { required_consent: JSON.stringify(solar) })
    assert.deepInclude((await own.ended(about.id)).counts, { skipped: 0, total: 2 })
  })

  test("counts a consent without an end for the account's consent_days, from the next dial on", async (own, owner, {
    account,
    admin,
  }) => {
    const at = new Date(Date.now() - 3 * 86_400_000)
    const entries = [
      consent(ada, { at: at.toISOString() }),
      consent(grace, { at: at.toISOString(), expires_at: "2031-01-01T00:00:00Z" }),
    ]
    made(await owner.post(path, { consents: entries }))
    const required_consent = JSON.stringify({ basis: [basis] })
    const dialledWith = async (consent_days: number | null) => {
      assert.strictEqual(made(await admin.put(account, { consent_days })).consent_days, consent_days)
      const { id } = await own.running([ada, grace], { required_consent })
      await own.ended(id)
      const contacts = await own.contacts(id)
      const details = contacts.map(({ id: contact }) => owner.get(`/api/v1/campaigns/${id}/contacts/${contact}`))
      return (await Promise.all(details)).map((detail) => {
        const { attempt_log, skip_reason } = made(detail)
        const stamp = attempt_log[0]?.decision?.["consent"]
        return typeof stamp === "object" && stamp !== null && "expires_at" in stamp ? stamp.expires_at : skip_reason
      })
    }
    const own_end = "2031-01-01T00:00:00.000Z"
    assert.deepStrictEqual(await dialledWith(2), ["no_consent", own_end])
    assert.deepStrictEqual(await dialledWith(4), [new Date(at.getTime() + 4 * 86_400_000).toISOString(), own_end])
    assert.deepStrictEqual(await dialledWith(null), [null, own_end])
    for (const consent_days of [0, 3_651, 1.5, "30"]) {
      refused(await admin.put(account, { consent_days }), 400, "invalid_request", "/consent_days")
    }
  })

  test("lets a direct call begin only with the consent that it requires, and stamps it into the decision", async (own, owner) => {
    const required_consent = { basis: [basis], subject: "Solar" }
    const place = () => owner.post("/api/v1/calls", { ...own.line, to: ada, required_consent })
    assert.include(refused(await place(), 409, "no_consent").detail, `${basis} for automated calls about Solar`)
    const [recorded] = made(await owner.post(path, { consents: [consent(ada, { subject: "solar" })] })).items
    const call = made(await place())
    const stamp = { id: recorded!.id, basis, at: "2026-01-02T03:04:05.000Z", expires_at: null }
    assert.deepInclude(call.decision, { required_consent, consent: stamp })
    assert.isNotNull(made(await owner.get(`${path}/${recorded!.id}`)).used_at)
    made(await owner.post(`${path}/revocations`, { revocations: [{ phone_number: ada }] }))
    refused(await place(), 409, "no_consent")
    const wrong = { ...own.line, to: ada, required_consent: { basis: ["spoken"] } }
    refused(await owner.post("/api/v1/calls", wrong), 400, "invalid_request")
  })

  test("gets a revocation from a person who asks in a call not to be called again", async (own, owner) => {
    const person = "+14155550199"
    made(await owner.post(path, { consents: [consent(person, { channel: "any_call" })] }))
    const call = made(await owner.post("/api/v1/calls", { ...own.line, to: person }))
    await until(async () => made(await owner.get(`/api/v1/calls/${call.id}`)).ended_at !== null)
    const { items } = made(await owner.get(`${path}?phone_number=%2B14155550199`))
    assert.lengthOf(items, 2)
    assert.deepInclude(items[0], { kind: "revocation", channel: "any_call", source: "call", call_id: call.id })
    // The entry of the list goes, and the revocation remains.
    made(await owner.delete(`/api/v1/suppressions/${encodeURIComponent(person)}`))
    const again = await own.running([person], { required_consent: JSON.stringify({ basis: [basis] }) })
    await own.ended(again.id)
    assert.deepInclude((await own.contacts(again.id))[0], { attempts: 0, skip_reason: "no_consent" })
  })

  test("is exported as CSV, without formulas", async (_, owner) => {
    made(await owner.post(path, { consents: [consent(ada, { text: '=1+1\n"yes"' }), consent(grace)] }))
    const text = String((await owner.get(`${path}.csv`)).body)
    assert.match(text, /^id,kind,phone_number,basis,channel,subject,/)
    assert.include(text, `,consent,${ada},${basis},automated_call,,,"'=1+1\n""yes""",`)
    assert.lengthOf(text.split("\r\n"), 4)
  })
})
