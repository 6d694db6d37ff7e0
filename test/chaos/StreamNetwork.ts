/**
 * A carrier with media streams as the network of a chaos run. A call's sound reaches only the process that conducts it.
 */
import { Effect, Exit, Scope } from "effect"
import { freePort } from "../support/FreePorts.ts"
import { speechServer } from "../support/SpeechServer.ts"
import * as Network from "./Network.ts"

export const twilioStream = async (
  seed: number,
  folder: string,
  publicUrl: string,
  processes: number,
): Promise<Network.Network> => {
  const twilio = await Network.twilio(seed, folder, publicUrl, [
    { kind: "streams break", faults: { streams: { cut: 0.7 } } },
    { kind: "streams break and reports are lost", faults: { streams: { cut: 0.7 }, callbacks: { drop: 0.7 } } },
  ])
  const scope = Scope.makeUnsafe()
  const speech = await Effect.runPromise(Scope.provide(speechServer, scope))
  const ports = await Promise.all(Array.from({ length: processes }, freePort))
  return {
    ...twilio,
    env: { ...twilio.env, SPEECH_BASE_URL: speech.url },
    envOf: (of) => ({ PORT: String(ports[of]), PARLEY_STREAM_URL: `http://127.0.0.1:${ports[of]}` }),
    stop: async () => {
      await twilio.stop()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

/** The same over Telnyx, whose look-ups do not tell how a call ended. */
export const telnyxStream = async (
  seed: number,
  folder: string,
  publicUrl: string,
  processes: number,
): Promise<Network.Network> => {
  const { env, ...network } = await twilioStream(seed, folder, publicUrl, processes)
  const { TWILIO_API_URL: url = "", ...rest } = env
  const { public_key } = (await (await fetch(`${url}/public_key`)).json()) as { public_key: string }
  const connection_id = "1000000000000001"
  return {
    ...network,
    env: { ...rest, TELNYX_API_URL: url },
    number: { carrier: "telnyx", carrier_config: { api_key: `KEY_${connection_id}`, connection_id, public_key } },
  }
}
