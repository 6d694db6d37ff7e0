/** A number pasted from a page is the number, whatever door it comes through (decisions §2, CSV). */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"

const number = "+14155550170"
const pasted = [
  "+1 (415) 555-0170",
  "\u202a+1\u00a0415\u00a0555\u20110170\u202c",
  "\u200e+1\u200b415\u202f555\u20130170\ufeff",
  "\uff0b\uff11\uff14\uff11\uff15\u3000\uff15\uff15\uff15\uff0d\uff10\uff11\uff17\uff10",
]

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), { timeout: "120 seconds", excludeTestServices: true })(
  "a number as it was pasted",
  (it) => {
    const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

    test("is read the same in lists, suppressions, calls, phone numbers and searches", async (own, owner, { url }) => {
      const router = single(url, headersOf(owner))
      for (const written of pasted) {
        const { id } = await own.draft([written])
        const [contact] = await own.contacts(id)
        assert.strictEqual(contact?.phone_number, number)
        const found = await own.contacts(id, `search=${encodeURIComponent(written)}`)
        assert.strictEqual(found.length, 1)

        const listed = await owner.post("/api/v1/suppressions", { phone_number: written })
        assert.strictEqual(listed.body.phone_number, number)
        const call = { ...own.line, to: written }
        assert.strictEqual((await owner.post("/api/v1/calls", call)).body.code, "do_not_call")
        const path = `/api/v1/suppressions/${encodeURIComponent(written)}` as const
        assert.strictEqual((await owner.delete(path)).status, 204)
        assert.strictEqual((await router.suppressions.add.mutate({ phone_number: written })).phone_number, number)
        await router.suppressions.remove.mutate({ phone_number: written })

        const ours = made(await owner.post("/api/phone-numbers", { number: written, carrier: "lab" }))
        assert.strictEqual(ours.number, number)
        assert.strictEqual((await owner.delete(`/api/phone-numbers/${ours.id}`)).status, 204)
      }
    })

    test("is no number when it has other characters in it", async (_, owner) => {
      for (const phone_number of ["=+14155550170", "+1415555017x", "+1415555017²", "14155550170", "+1 415"]) {
        const refused = await owner.post("/api/v1/suppressions", { phone_number })
        assert.deepInclude([refused.status, refused.body.errors?.[0]?.pointer], 400)
      }
    })
  },
)
