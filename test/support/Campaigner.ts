/** An account that can run campaigns, and the operations on campaigns that black-box tests use. */
import { Effect } from "effect"
import type { Campaign, Operation as AnyOperation } from "../../src/domain/Campaign.ts"
import type { CampaignSnapshot } from "../../src/domain/CampaignSnapshot.ts"
import type { Contact } from "../../src/domain/Contact.ts"
import { caller, wide } from "./Callers.ts"
import { campaignForm, made } from "./Fixtures.ts"
import { type AnswerOf, type Client, TestServer } from "./TestServer.ts"
import { until } from "./Until.ts"

type Operation = Exclude<AnyOperation, "delete">
type CampaignBody = typeof Campaign.Encoded

export interface Campaigner {
  readonly client: Client
  /** `agent_id` and `phone_number_id`, as fields of a form. */
  readonly line: { readonly agent_id: string; readonly phone_number_id: string }
  readonly upload: (csv: string | Uint8Array, fields?: Record<string, string>) => Promise<AnswerOf<CampaignBody>>
  /** Creates a campaign with these numbers. It is a draft unless `scheduled_at` says otherwise. */
  readonly draft: (numbers: ReadonlyArray<string>, fields?: Record<string, string>) => Promise<CampaignBody>
  readonly running: (numbers: ReadonlyArray<string>, fields?: Record<string, string>) => Promise<CampaignBody>
  readonly get: (id: string) => Promise<CampaignBody>
  readonly operate: (id: string, operation: Operation) => Promise<AnswerOf<CampaignBody>>
  readonly contacts: (id: string, query?: string) => Promise<ReadonlyArray<typeof Contact.Encoded>>
  /** Waits for the campaign to satisfy `condition`, and returns it. */
  readonly until: (id: string, condition: (campaign: CampaignBody) => boolean) => Promise<CampaignBody>
  readonly ended: (id: string) => Promise<CampaignBody>
}

export const campaigner = async (client: Client, agent: object = {}): Promise<Campaigner> => {
  const { agent: own, number } = await caller(client, agent)
  const line = { agent_id: own.id, phone_number_id: number.id }
  const path = "/api/v1/campaigns"
  const upload: Campaigner["upload"] = (csv, fields = {}) =>
    client.request("POST", path, { body: campaignForm({ name: "test", ...line, ...fields }, csv) })
  const draft: Campaigner["draft"] = async (numbers, fields) =>
    made(await upload(`phone_number\n${numbers.join("\n")}\n`, fields))
  const get: Campaigner["get"] = async (id) => made(await client.get(`${path}/${id}`))
  const operate: Campaigner["operate"] = (id, operation) => client.post(`${path}/${id}/${operation}`)
  const untilCampaign: Campaigner["until"] = (id, condition) =>
    until(async () => {
      const campaign = await get(id)
      return condition(campaign) && campaign
    })
  return {
    client,
    line,
    upload,
    draft,
    get,
    operate,
    until: untilCampaign,
    running: async (numbers, fields) => made(await operate((await draft(numbers, fields)).id, "start")),
    contacts: async (id, query = "") => made(await client.get(`${path}/${id}/contacts?${query}`)).items,
    ended: (id) => untilCampaign(id, ({ ended_at }) => ended_at !== null),
  }
}

/** The location of a test's account: the server's URL, a platform administrator, and the account's path for them. */
export interface Whereabouts {
  readonly url: string
  readonly admin: Client
  readonly account: `/api/admin/accounts/${string}`
}

/** The body of a test in its own account, with the account's campaigns, owner and location. */
export type InAccount = (own: Campaigner, owner: Client, whereabouts: Whereabouts) => Promise<void>

export const inAccountOfItsOwn = (body: InAccount, settings: object = {}) =>
  Effect.flatMap(TestServer, (server) =>
    Effect.promise(async () => {
      const slug = `e${crypto.randomUUID().slice(0, 8)}`
      const owner = await server.ownerOf(slug, { ...wide, ...settings })
      const admin = await server.admin()
      await body(await campaigner(owner), owner, { url: server.url, admin, account: `/api/admin/accounts/${slug}` })
    }),
  )

/**
 * `count` numbers whose last two digits, which select the lab's behaviour, are the same. The digits before them differ.
 */
export const numbersOf = (digits: string, count: number, from = 1_000): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `+1415${50_000 + from + at}${digits}`)

/** One event or comment of a stream. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: typeof CampaignSnapshot.Encoded | undefined
  readonly comment: string | undefined
  readonly at: number
}

export interface EventReader {
  readonly response: Response
  /** The next event that fits. Events before it are dropped. */
  readonly next: (fits?: (event: StreamEvent) => boolean) => Promise<StreamEvent>
  /** Every event until the stream closes. */
  readonly rest: () => Promise<ReadonlyArray<StreamEvent>>
  readonly close: () => Promise<void>
}

/** An event with its blank line, or a line outside of events: `retry:` or a comment. */
const whole = /^(?:(?:retry: |: ).*\n|[^]*?\n\n)/

/** Reads a campaign's stream block by block, as the text on the wire and not as an EventSource presents it. */
export const follow = async (url: string, client: Client, id: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/api/v1/campaigns/${id}/events`, {
    headers: { authorization: `Bearer ${client.token}`, "x-account-id": client.account, ...headers },
  })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  const block = async (): Promise<StreamEvent | undefined> => {
    while (!whole.test(text)) {
      const read = await reader?.read()
      if (read === undefined || read.done) return undefined
      text += decoder.decode(read.value, { stream: true })
    }
    const [taken = ""] = whole.exec(text) ?? []
    const lines = taken.trimEnd().split("\n")
    text = text.slice(taken.length)
    const field = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length)
    const data = field("data: ")
    return {
      event: field("event: ") ?? (field("retry: ") === undefined ? "message" : "retry"),
      id: field("id: "),
      data: data === undefined ? undefined : JSON.parse(data),
      comment: field(": "),
      at: performance.now(),
    }
  }
  const next: EventReader["next"] = async (fits = ({ data }) => data !== undefined) => {
    while (true) {
      const event = await block()
      if (event === undefined) throw new Error("The stream has closed")
      if (fits(event)) return event
    }
  }
  const rest: EventReader["rest"] = async () => {
    const events: Array<StreamEvent> = []
    for (let event = await block(); event !== undefined; event = await block()) events.push(event)
    return events
  }
  return { response, next, rest, close: async () => void (await reader?.cancel()) } satisfies EventReader
}
