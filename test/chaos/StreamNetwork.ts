/** The carrier of a chaos run whose calls go over media streams: their sound reaches only the process that conducts them. */
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
