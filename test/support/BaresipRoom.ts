/** A Parley that receives and places calls over UDP, TCP and TLS, with baresips as the telephones at the far end. */
import { Effect } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import type { Transport } from "../../src/telephony/sip/Hop.ts"
import { type Baresip, baresip } from "./Baresip.ts"
import { caller } from "./Callers.ts"
import { made } from "./Fixtures.ts"
import { freePort } from "./FreePorts.ts"
import { certificate } from "./SipAgents.ts"
import { openSipRoom, type Parley } from "./SipRoom.ts"
import { sipNumber } from "./SipTrunk.ts"
import type { Client } from "./TestServer.ts"
import { correlationWith, spoken } from "./ToneCode.ts"
import { againUntil, until } from "./Until.ts"

const rate = 8_000
export const transports = ["udp", "tcp", "tls"] as const
/** The least correlation at which a sentence counts as heard in a telephone's recording. */
const leastCorrelation = 0.9

type ListedCall = typeof Call.Encoded

export interface Phone extends Baresip {
  readonly transport: Transport
  /** The carrier configuration of a phone number whose trunk is this telephone. */
  readonly trunk: { readonly server: string; readonly transport: Transport; readonly srtp: boolean }
}

export interface ParleyOverTls extends Parley {
  readonly tlsPort: number
}

export const openBaresipRoom = Effect.gen(function* () {
  const room = yield* openSipRoom
  /** Starts another Parley on the same database. */
  const parley = async (): Promise<ParleyOverTls> => {
    const tlsPort = await freePort()
    const settings = {
      PARLEY_SIP_TLS_PORT: String(tlsPort),
      PARLEY_SIP_TLS_CERT: certificate.file,
      PARLEY_SIP_TLS_KEY: certificate.keyFile,
      NODE_EXTRA_CA_CERTS: certificate.file,
      // The certificate's name, localhost, resolves to both addresses.
      PARLEY_SIP_NETWORKS: "127.0.0.0/8,::1",
    }
    return { ...(await room.parley(settings)), tlsPort }
  }
  /** Starts a telephone on this transport. Over TLS its sound is encrypted. */
  const phone = Effect.fnUntraced(function* (transport: Transport, user?: string) {
    const srtp = transport === "tls"
    const telephone = yield* baresip({ transport, isEncrypted: srtp, ...(user === undefined ? {} : { user }) })
    const server = srtp ? `localhost:${telephone.port + 1}` : `127.0.0.1:${telephone.port}`
    return { ...telephone, transport, trunk: { server, transport, srtp } } satisfies Phone
  })
  /** Waits until the telephone has heard the whole sentence that contains these words. */
  const hears = (phone: Phone, words: string) =>
    Effect.promise(() =>
      until(() =>
        room.speech.spoken.some(
          (sentence) =>
            sentence.input.includes(words) && correlationWith(sentence, phone.heard(), rate) >= leastCorrelation,
        ),
      ),
    )
  return { speech: room.speech, parley, phone, hears }
})

export type BaresipRoom = Effect.Success<typeof openBaresipRoom>

/** Creates a phone number whose trunk is this telephone, and the agent that answers it and calls from it. */
export const numberBehind = async (owner: Client, phone: Phone, agent: object = {}) => {
  const own = await caller(owner, agent)
  const { server, ...config } = phone.trunk
  const number = await sipNumber(owner, server, config)
  made(await owner.put(`/api/phone-numbers/${number.id}`, { inbound_agent_id: own.agent.id }))
  const place = async (to: string): Promise<string> =>
    made(await owner.post("/api/v1/calls", { agent_id: own.agent.id, phone_number_id: number.id, to })).id
  return { ...own, number, place }
}

const callOf = async (owner: Client, id: string): Promise<ListedCall> => made(await owner.get(`/api/v1/calls/${id}`))

type Of = readonly [owner: Client, number: { readonly id: string }, holds: (call: ListedCall) => boolean]

/** The call of this number if it satisfies `holds` now, or false. */
export const listedCall = async (...[owner, number, holds]: Of): Promise<ListedCall | false> => {
  const { items } = made(await owner.get("/api/v1/calls"))
  const found = items.find(({ phone_number_id }) => phone_number_id === number.id)
  if (found === undefined) return false
  const call = await callOf(owner, found.id)
  return holds(call) && call
}

/** Waits for the call of this number to satisfy `holds`. */
export const callOn = (...of: Of) => Effect.promise(() => until(() => listedCall(...of)))

export const hasEnded = ({ ended_at }: ListedCall): boolean => ended_at !== null

export const hasSaid =
  (words: string) =>
  ({ transcript }: ListedCall): boolean =>
    transcript.some(({ role, text }) => role === "agent" && text.includes(words))

/** Waits until the telephone itself reports that its call has closed. */
export const hasClosed = (phone: Phone) => Effect.promise(() => until(() => phone.told().includes("CALL_CLOSED")))

export const say = (phone: Phone, words: string) => Effect.sync(() => phone.say(spoken(words, rate)))

/** Says the words, again and again, until `holds`. */
export const sayUntil = (phone: Phone, words: string, holds: () => boolean | Promise<boolean>) =>
  Effect.promise(() => againUntil(() => phone.say(spoken(words, rate)), holds))

/** A sentence that no other agent says, so that a telephone cannot have heard it from another call. */
export const agentOver = (transport: Transport) => ({
  first_message: `Hello, this is Rosa over ${transport}.`,
  system_prompt: `You are Rosa.\nAsk: Does one of the many weeks over ${transport} suit you?`,
})

/**
 * Waits before dialling: Parley looks for new trunks each second, and applies the addresses of a host name at one of
 * the next looks.
 */
export const dial = (parley: ParleyOverTls, phone: Phone, number: string) =>
  Effect.andThen(
    Effect.sleep("4 seconds"),
    Effect.sync(() => phone.dial(number, `127.0.0.1:${phone.transport === "tls" ? parley.tlsPort : parley.port}`)),
  )
