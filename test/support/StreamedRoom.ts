/** An account that places calls over the stand-in carrier's media streams, and helpers for its tests. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Caller, caller, wide } from "./Callers.ts"
import { CarrierProcess } from "./CarrierProcess.ts"
import { campaignForm, made } from "./Fixtures.ts"
import type { Answer } from "./ModelServer.ts"
import { type CarrierStream, Model, Speech, streamOf } from "./StreamedParley.ts"
import { type Client, TestServer } from "./TestServer.ts"
import { until } from "./Until.ts"

let next = 61_000
/** A new number with the given last two digits. */
const to = (digits: string) => `+1415${++next}${digits}`

export interface Room {
  readonly url: string
  readonly owner: Client
  /** The id of the phone number that calls are placed from. */
  readonly number: string
  readonly caller: Caller
  readonly carrier: CarrierProcess["Service"]
  readonly speech: Speech["Service"]
  /** Places a call to a number with these last digits. Returns the call's id. */
  readonly place: (digits: string, agent?: string) => Promise<string>
  /** Creates an agent whose model answers by this script, with these tools and their configurations. Returns its id. */
  readonly scripted: (script: ReadonlyArray<Answer>, tools: Record<string, object>) => Promise<string>
  /** Waits for the newest stream of the call to satisfy `isEnough`. */
  readonly stream: (call: string, isEnough?: (stream: CarrierStream) => boolean) => Promise<CarrierStream>
  readonly order: (call: string, order: object) => Promise<unknown>
}

/** Creates the phone number that calls are placed from. */
export type NumberOf = (owner: Client, carrier: CarrierProcess["Service"]) => Promise<{ readonly id: string }>

/** A new account with an agent and a number, on a server that speaks and listens. */
export const roomed = (numberOf: NumberOf, body: (room: Room) => Promise<void>) =>
  Effect.gen(function* () {
    const { ownerOf, url } = yield* TestServer
    const carrier = yield* CarrierProcess
    const model = yield* Model
    const speech = yield* Speech
    yield* Effect.promise(async () => {
      const owner = await ownerOf(`t${crypto.randomUUID().slice(0, 8)}`, wide)
      const own = await caller(owner)
      const number = await numberOf(owner, carrier)
      const place: Room["place"] = async (digits, agent_id = own.agent.id) =>
        made(await owner.post("/api/v1/calls", { agent_id, phone_number_id: number.id, to: to(digits) })).id
      const scripted: Room["scripted"] = async (script, tools) => {
        model.begin(script)
        const form = {
          name: `agent-${crypto.randomUUID().slice(0, 8)}`,
          system_prompt: "You test the line.",
          first_message: "Hello there.",
          model: { provider: "openai-compatible", id: "m" },
        }
        const { id } = made(await owner.post("/api/agents", form))
        for (const [tool_name, config] of Object.entries(tools)) {
          made(await owner.post(`/api/agents/${id}/tools`, { tool_name, config }))
        }
        return id
      }
      const stream: Room["stream"] = (call, isEnough) => streamOf(carrier, call, isEnough)
      const order: Room["order"] = async (call, order) =>
        carrier.ask("POST", "/stream", { sid: (await stream(call)).call_sid, ...order })
      await carrier.ask("POST", "/control", { reset: true })
      await body({ url, owner, number: number.id, caller: own, carrier, speech, place, scripted, stream, order })
    })
  })

export const hasPlayed = ({ played }: CarrierStream) => played.length > 0
export const lastPlayed = ({ played }: CarrierStream) => played.at(-1)?.to ?? 0
/** True once the greeting is over. Words said earlier may count as the caller's answer to it. */
export const hasGreeted = (stream: CarrierStream) => hasPlayed(stream) && stream.now > lastPlayed(stream) + 500
export const endsOf = (room: Room, call: string) => room.carrier.truth(call).filter(({ event }) => event === "end")

/** Dials twenty contacts of every kind, five at a time, and compares the results with the carrier's. */
export const assertAsTheCarrierCounts = async ({ caller, carrier, number, owner }: Room) => {
  const digits = ["00", "00", ...Array<string>(6).fill("95"), "60", "61", "70", "71", "72", "75", "76"]
  const contacts = [...digits, "85", "86", "87", "88", "89"].map(to)
  const call = { agent_id: caller.agent.id, phone_number_id: number }
  const fields = { name: "streamed", ...call, max_concurrent_calls: "5", retries_per_contact: "0" }
  const body = campaignForm(fields, `phone_number\n${contacts.join("\n")}\n`)
  const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body }))
  made(await owner.post(`/api/v1/campaigns/${id}/start`))
  await until(async () => made(await owner.get(`/api/v1/campaigns/${id}`)).ended_at !== null)
  const { items } = made(await owner.get(`/api/v1/campaigns/${id}/contacts?page_size=100`))
  const outcomes = new Map<string, string | null>(
    items.map(({ outcome, phone_number }) => [phone_number ?? "", outcome]),
  )
  const ends = carrier.truth().filter(({ event, to }) => event === "end" && outcomes.has(to))
  const truths = new Map<string, string | null>(ends.map(({ outcome = null, to }) => [to, outcome]))
  const creates = carrier.truth().filter(({ event, to }) => event === "create" && outcomes.has(to))
  assert.deepStrictEqual([creates.length, ends.length, truths.size], [20, 20, 20])
  assert.deepStrictEqual(Object.fromEntries(outcomes), Object.fromEntries(truths))
}
