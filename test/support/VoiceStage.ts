/** Voice calls of a page with an agent, in their own account. They end with the test. */
import type { Call } from "../../src/domain/Call.ts"
import { type Campaigner, inAccountOfItsOwn } from "./Campaigner.ts"
import { made } from "./Fixtures.ts"
import { type Client, speak } from "./TestServer.ts"
import { until } from "./Until.ts"
import { call, type VoicePage } from "./VoicePage.ts"
import { keyOf, sessionOf } from "./WidgetPage.ts"

export interface Stage {
  readonly own: Campaigner
  readonly owner: Client
  readonly key: string
  readonly session: () => ReturnType<typeof sessionOf>
  readonly ring: (hello?: object) => Promise<VoicePage>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
}

/** `settings` are the account's, `keyed` those of the widget key. */
export const staged = (
  body: (stage: Stage) => Promise<void>,
  settings: object = {},
  keyed: object = {},
  agent: object = {},
) =>
  inAccountOfItsOwn(async (own, owner, { url }) => {
    const server = speak(url)
    const agent_id = own.line.agent_id
    made(await owner.put(`/api/agents/${agent_id}`, { silence_timeout_seconds: 120, ...agent }))
    const key = await keyOf(owner, agent_id, keyed)
    const session = () => sessionOf(server, key)
    const ended: Stage["ended"] = (id) =>
      until(async () => {
        const found = made(await owner.get(`/api/v1/calls/${id}`))
        return found.ended_at !== null && found
      })
    try {
      await body({ own, owner, key, session, ring: async (hello) => call(await session(), hello), ended })
    } finally {
      // End remaining calls. They would ask after a while whether the caller is there, and consume a fault prepared for
      // the next test.
      const live = made(await owner.get("/api/v1/calls")).items.filter(({ ended_at }) => ended_at === null)
      for (const { id } of live) {
        await owner.post(`/api/v1/calls/${id}/hangup`)
        await ended(id)
      }
    }
  }, settings)

export const linesOf = ({ heard }: VoicePage) =>
  heard.flatMap((message) => (message.type === "line" ? [`${message.by}: ${message.text}`] : []))
