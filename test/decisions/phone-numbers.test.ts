/** Numbers to dial from, and numbers never to dial. */
import { assert } from "@effect/vitest"
import { catalog, made, mask, number, refused } from "../support/Catalog.ts"

catalog((test) => {
  test("phone number: defaults, and the fields of the answer", async (owner) => {
    const input = number()
    const { created_at: _, id: __, updated_at: ___, ...rest } = await made(owner.post("/api/phone-numbers", input))
    const unlimited = { max_calls_per_day: null, min_seconds_between_calls: null }
    const defaults = { label: "", carrier_config: {}, inbound_agent_id: null, ...unlimited }
    assert.deepStrictEqual<unknown>(rest, { ...input, ...defaults })
    for (const field of ["number", "carrier"]) {
      const { [field]: _, ...without }: Record<string, unknown> = number()
      await refused(owner.post("/api/phone-numbers", without), 400, "invalid_request", `/${field}`)
    }
    const carrier = { ...number(), carrier: "pigeon" }
    await refused(owner.post("/api/phone-numbers", carrier), 400, "invalid_request", "/carrier")
  })

  test("phone number: E.164 and nothing that merely looks like it", async (owner) => {
    const texts = [
      ...["4155550132", "+0155550132", "+123456", "+1234567890123456", "=+14155550132"],
      ...["tel:+14155550132", "+14155550132x5", "+١٤١٥٥٥٥٠١٣٢", "+1_415_555_0132"],
    ]
    for (const text of texts) {
      await refused(owner.post("/api/phone-numbers", { ...number(), number: text }), 400, "invalid_request", "/number")
      const suppression = owner.post("/api/v1/suppressions", { phone_number: text })
      await refused(suppression, 400, "invalid_request", "/phone_number")
    }
  })

  test("phone number: secrets of carrier_config are masked, and the mask keeps them", async (owner) => {
    const carrier_config = { account_sid: "AC1", auth_token: "open sesame", sip: { password: "sesame", user: "u" } }
    const body = await made(owner.post("/api/phone-numbers", { ...number(), carrier: "twilio", carrier_config }))
    const shown = { account_sid: "AC1", auth_token: mask, sip: { password: mask, user: "u" } }
    assert.deepStrictEqual(body.carrier_config, shown)
    const put = await owner.put(`/api/phone-numbers/${body.id}`, { carrier_config: { ...shown, account_sid: "AC2" } })
    assert.deepStrictEqual(put.body.carrier_config, { ...shown, account_sid: "AC2" })
    const lost = await owner.put(`/api/phone-numbers/${body.id}`, { carrier_config: {} })
    assert.deepStrictEqual(lost.body.carrier_config, {})
    const pointer = "/carrier_config/auth_token"
    const change = { carrier_config: { auth_token: mask } }
    await refused(owner.put(`/api/phone-numbers/${body.id}`, change), 400, "invalid_request", pointer)
  })

  test("suppression: 201, then 200 with the updated entry, then 204 and 404", async (owner) => {
    const phone_number = "+14155557777"
    const first = await owner.post("/api/v1/suppressions", { phone_number, reason: "By letter" })
    assert.strictEqual(first.status, 201)
    const { created_at, ...rest } = first.body
    assert.deepStrictEqual<unknown>(rest, {
      phone_number,
      source: "api",
      call_id: null,
      reason: "By letter",
      expires_at: null,
      subject: null,
    })
    const expires_at = "2040-01-01T01:00:00+01:00"
    const second = await owner.post("/api/v1/suppressions", { phone_number, expires_at })
    assert.strictEqual(second.status, 200)
    assert.deepInclude(second.body as object, { created_at, reason: null, expires_at: "2040-01-01T00:00:00.000Z" })
    const items: ReadonlyArray<unknown> = (await owner.get("/api/v1/suppressions")).body.items!
    assert.deepInclude(items, second.body)
    const path = `/api/v1/suppressions/${encodeURIComponent(phone_number)}` as const
    assert.strictEqual((await owner.delete(path)).status, 204)
    await refused(owner.delete(path), 404, "not_found")
    await refused(owner.delete("/api/v1/suppressions/nonsense"), 404, "not_found")
    const when = { phone_number, expires_at: "tomorrow" }
    await refused(owner.post("/api/v1/suppressions", when), 400, "invalid_request", "/expires_at")
  })
})
