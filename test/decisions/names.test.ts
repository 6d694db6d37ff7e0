/** A name that people read has no invisible character, with which it could look like another one. */
import { assert, it } from "@effect/vitest"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { refused } from "../support/Catalog.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"

const turned = "Spring \u202egnirps"
const sentence = "must not have control characters or invisible ones"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("a name that is written", (it) => {
  it.effect("of a campaign, a scenario or a label of a phone number is refused, by REST and by the router", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const router = single(url, headersOf(owner))
      const fault = async (answer: Parameters<typeof refused>[0], pointer: string) => {
        const { errors } = await refused(answer, 400, "invalid_request", pointer)
        assert.include(JSON.stringify(errors), sentence)
      }
      const campaign = await own.draft(["+14155550170"])
      const scenarios = [{ name: turned, caller: { says: ["Hello"] }, expect: { said: ["Hello"] } }]
      const { agent_id = "", phone_number_id = "" } = own.line

      await fault(own.upload("phone_number\n+14155550170\n", { name: turned }), "/name")
      await fault(owner.put(`/api/v1/campaigns/${campaign["id"]}`, { name: turned }), "/name")
      await fault(owner.put(`/api/phone-numbers/${phone_number_id}`, { label: turned }), "/label")
      await fault(owner.post(`/api/agents/${agent_id}/scenario-runs`, { scenarios }), "/scenarios/0/name")

      const calls = [
        router.campaigns.update.mutate({ id: campaign["id"], name: turned }),
        router.phoneNumbers.update.mutate({ id: phone_number_id, label: turned }),
      ]
      for (const call of calls) assert.include(JSON.stringify(await refusalOf(call)), sentence)
    }),
  )
})
