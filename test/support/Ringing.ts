/** Telephones behind a trunk at 127.0.0.1 that call a Parley, and how Parley lists their calls. */
import { Effect } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { newId } from "../../src/telephony/sip/Ids.ts"
import { type Field, type Response, writeRequest } from "../../src/telephony/sip/Message.ts"
import { caller } from "./Callers.ts"
import { made } from "./Fixtures.ts"
import { type Agent, offered, orderTo, placed } from "./SipAgents.ts"
import type { Order } from "../../src/telephony/sip/OutgoingCall.ts"
import { writeUri } from "../../src/telephony/sip/Uri.ts"
import { sipNumber } from "./SipTrunk.ts"
import type { Client } from "./TestServer.ts"
import { until } from "./Until.ts"

/** Creates a number behind the trunk, and an agent that answers it. */
export const answeredNumber = (owner: Client, config: object = {}, agent: object = {}) =>
  Effect.promise(async () => {
    const own = await caller(owner, agent)
    const number = await sipNumber(owner, "127.0.0.1", config)
    made(await owner.put(`/api/phone-numbers/${number.id}`, { inbound_agent_id: own.agent.id }))
    return { ...own, number }
  })

type ListedCall = typeof Call.Encoded

export const inboundCalls = async (owner: Client): Promise<ReadonlyArray<ListedCall>> => {
  const { items } = made(await owner.get("/api/v1/calls?direction=inbound"))
  return Promise.all(items.map(async ({ id }) => made(await owner.get(`/api/v1/calls/${id}`))))
}

/** Waits for the first incoming call that satisfies `holds`. */
export const inboundCall = (owner: Client, holds: (call: ListedCall) => boolean) =>
  Effect.promise(() => until(async () => (await inboundCalls(owner)).find(holds)))

export const endedCall = (owner: Client) => inboundCall(owner, ({ ended_at }) => ended_at !== null)

/** Starts a telephone's call. */
export const ring = Effect.fnUntraced(function* (
  phone: Agent,
  port: number,
  number: string,
  from = "<sip:+14155550199@127.0.0.1>",
  { address = "127.0.0.1", ...fields }: Partial<Order> & { readonly address?: string } = {},
) {
  const order = yield* orderTo(phone, { localPort: () => port }, "udp", fields, address)
  return yield* placed(phone, { ...order, to: writeUri(number, address, port), from })
})

interface Bare {
  readonly contact: () => Field
  readonly localPort: () => number
}

export interface InviteParts {
  readonly body?: string
  readonly fields?: ReadonlyArray<Field>
  readonly callId?: string
  readonly fromTag?: string
  readonly from?: string
}

/** An INVITE from a bare socket. */
export const inviteFrom = (
  bare: Bare,
  number: string,
  { body = offered, callId = newId(), fields = [], from = "+14155550199", fromTag = newId() }: InviteParts = {},
): Buffer =>
  writeRequest(
    "INVITE",
    `sip:${number}@127.0.0.1`,
    [
      ["via", `SIP/2.0/UDP 127.0.0.1:${bare.localPort()};branch=z9hG4bK${newId()};rport`],
      ["from", `<sip:${from}@127.0.0.1>;tag=${fromTag}`],
      ["to", `<sip:${number}@127.0.0.1>`],
      ["call-id", callId],
      ["cseq", "1 INVITE"],
      ["max-forwards", "70"],
      bare.contact(),
      ...(body === "" ? [] : [["content-type", "application/sdp"] as const]),
      ...fields,
    ],
    Buffer.from(body),
  )

/** The ACK of a response, or another request in its dialog. */
export const within = (bare: Bare, answer: Response, method: string, sequence: number, body = ""): Buffer =>
  writeRequest(
    method,
    `sip:parley@127.0.0.1`,
    [
      ["via", `SIP/2.0/UDP 127.0.0.1:${bare.localPort()};branch=z9hG4bK${newId()};rport`],
      ...answer.fields.filter(([name]) => name === "from" || name === "to" || name === "call-id"),
      ["cseq", `${sequence} ${method}`],
      ["max-forwards", "70"],
      bare.contact(),
      ...(body === "" ? [] : [["content-type", "application/sdp"] as const]),
    ],
    Buffer.from(body),
  )

/** Takes responses until the final one, and returns it. */
export const finalOf = <E>(take: Effect.Effect<Response, E>): Effect.Effect<Response, E> =>
  Effect.repeat(take, { until: ({ status }) => status >= 200 })
