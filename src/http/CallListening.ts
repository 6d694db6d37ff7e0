/**
 * The sound of a live call over HTTP, as it is spoken. It is written to the raw response, because a reader that is too
 * slow has to lose sound instead of delaying it.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import * as CallHistory from "../calls/CallHistory.ts"
import { Calls, type LiveSound } from "../calls/Calls.ts"
import { Standing } from "../identity/Standing.ts"
import { headerOf } from "../recording/WavFile.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { ReleaseTenant } from "./edge/Authentication.ts"
import { Draining } from "./edge/Draining.ts"
import { OpenStreams } from "./edge/OpenStreams.ts"
import { RequestId } from "./edge/RequestId.ts"

/** Two frames. Shorter parts cost more, and longer ones delay the sound. */
const writeEvery = "40 millis"
/** Bytes. A reader that has more than this left to take gets no more: a quarter of a second on a telephone line. */
const mostUntaken = 8 * 1024
/** A reader that misses this many parts in a row counts as disconnected: ten seconds. */
const mostRefused = 250

/** The length in a WAV header when the real one is not known. */
const unknownLength = 0xff_ff_ff_ff - 44

const headers = {
  "content-type": "audio/wav",
  "cache-control": "no-store, no-transform",
  // A proxy that collects the answer would delay it.
  "x-accel-buffering": "no",
}

/**
 * Writes the call's sound until the call ends, its sound is lost, or the reader counts as disconnected. The answer is
 * complete only if the call has ended.
 */
export const writeTo = Effect.fnUntraced(function* (
  response: ServerResponse,
  sound: Pick<LiveSound, "take" | "isOver" | "isLost">,
) {
  let refused = 0
  while (!sound.isOver() && !sound.isLost() && refused < mostRefused) {
    yield* Effect.sleep(writeEvery)
    for (let part = sound.take(); part !== null; part = sound.take()) {
      const isSlow = response.writableLength > mostUntaken
      refused = isSlow ? refused + 1 : 0
      if (!isSlow) response.write(part)
    }
  }
  if (sound.isOver()) response.end()
  else response.destroy()
  if (sound.isLost()) yield* Effect.logWarning("the process that conducts a call with a listener cannot be reached")
})

export const make = Effect.gen(function* () {
  const calls = yield* Calls
  const draining = yield* Draining
  const { openForAccount } = yield* OpenStreams

  return Effect.fnUntraced(function* (id: string, request: HttpServerRequest.HttpServerRequest) {
    if (request.method === "HEAD") {
      yield* CallHistory.find(id)
      return HttpServerResponse.empty({ status: 200, headers })
    }
    yield* openForAccount((yield* CurrentTenant).account.slug)
    const sound = yield* calls.listen(id)
    const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
    const lapsed = yield* Standing
    yield* yield* ReleaseTenant
    response.writeHead(200, { ...headers, "x-request-id": yield* RequestId })
    response.write(headerOf(sound.rate, unknownLength))
    const closed = Effect.callback<void>((resume) => {
      // Writing to a disconnected reader reveals that it is gone.
      response.on("error", () => {})
      response.once("close", () => resume(Effect.void))
    })
    yield* Effect.raceAllFirst([
      closed,
      draining.begun,
      writeTo(response, sound),
      Effect.catch(lapsed, () => Effect.void),
    ])
    if (!response.writableEnded) response.end()
    return HttpServerResponse.empty()
  }, Effect.scoped)
})
