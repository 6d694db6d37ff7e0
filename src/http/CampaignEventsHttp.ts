/**
 * The campaign stream over HTTP (spec §6, decisions §4): each message is encoded once and written to the raw responses
 * of all clients. Thousands of streams cost one write each, and a slow one loses snapshots instead of taking memory.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Metric, Random, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { ServerResponse } from "node:http"
import { CampaignEvents } from "../campaigns/CampaignEvents.ts"
import { endId, type News } from "../campaigns/CampaignNews.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import { CampaignSnapshot } from "../domain/CampaignSnapshot.ts"
import { Standing } from "../identity/Standing.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Api } from "./Api.ts"
import { ReleaseTenant } from "./edge/Authentication.ts"
import { Draining } from "./edge/Draining.ts"
import { OpenStreams } from "./edge/OpenStreams.ts"
import { RequestId } from "./edge/RequestId.ts"

/**
 * No blank line follows these lines: a blank line ends an event, and some clients (`@microsoft/fetch-event-source`)
 * would then deliver an empty one. The lines belong to the next event and do not change its meaning.
 */
const retryIn = (milliseconds: number) => Buffer.from(`retry: ${milliseconds}\n`)
const usualRetry = retryIn(2_000)
const heartbeat = Buffer.from(": heartbeat\n")

/** A reader with this many unread bytes counts as disconnected. */
const abandonedBytes = 64 * 1024

const encodeSnapshot = Schema.encodeSync(Schema.fromJsonString(CampaignSnapshot))
const frames = new WeakMap<News, Buffer>()

/** The bytes of a message, made once, since all clients get the same. */
const frameOf = (news: Extract<News, { readonly id: number }>): Buffer => {
  const known = frames.get(news)
  if (known !== undefined) return known
  const event = news._tag === "End" ? "event: end\n" : ""
  const frame = Buffer.from(`${event}id: ${news.id}\ndata: ${encodeSnapshot(news.snapshot)}\n\n`)
  frames.set(news, frame)
  return frame
}

const openStreams = Metric.gauge("parley_campaign_streams_open", { description: "Readers of campaign streams." })

/** Writes a stream's messages. Closes it after the last one, or when its reader leaves too many bytes unread. */
const writeTo =
  (response: ServerResponse) =>
  (news: News): void => {
    if (response.writableEnded || response.destroyed) return
    if (news._tag === "End") response.end(frameOf(news))
    else if (news._tag === "Gone") response.end()
    else if (response.writableLength > abandonedBytes) response.destroy()
    else if (news._tag === "Heartbeat") response.write(heartbeat)
    else if (!response.writableNeedDrain) response.write(frameOf(news))
  }

export const layer = HttpApiBuilder.group(
  Api,
  "campaign-events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* CampaignEvents
    const draining = yield* Draining
    const { openForAccount } = yield* OpenStreams

    const follow = Effect.fnUntraced(function* (id: string, response: ServerResponse) {
      yield* Effect.acquireRelease(Metric.modify(openStreams, 1), () => Metric.modify(openStreams, -1))
      const closed = Effect.callback<void>((resume) => {
        response.once("close", () => resume(Effect.void))
        response.once("finish", () => resume(Effect.void))
      })
      // Writing to a disconnected reader reveals that it is gone.
      response.on("error", () => {})
      response.write(usualRetry)
      yield* events.watch(yield* CurrentTenant, id, writeTo(response))
      const lapsed = Effect.catch(yield* Standing, ({ message }) => Effect.sync(() => response.write(`: ${message}\n`)))
      yield* Effect.raceAllFirst([closed, draining.begun, lapsed])
      // While the process drains, clients are told to reconnect soon to another process, after random delays.
      const soon = yield* Random.nextIntBetween(100, 1_000)
      if ((yield* draining.isDraining) && !response.writableEnded) response.write(retryIn(soon))
      response.end()
    }, Effect.scoped)

    return handlers.handleRaw(
      "events",
      Effect.fnUntraced(function* ({ headers, params, request }) {
        const campaign = yield* Campaigns.find(params.id)
        const { created_at, ended_at } = campaign
        const isSeen = ended_at !== null && headers["last-event-id"]?.trim() === String(endId({ created_at, ended_at }))
        if (isSeen) return HttpServerResponse.empty({ status: 204 })
        const type = {
          "content-type": "text/event-stream",
          // A proxy that compressed the stream would hold events back.
          "cache-control": "no-store, no-transform",
          "x-accel-buffering": "no",
        }
        if (request.method === "HEAD") return HttpServerResponse.empty({ status: 200, headers: type })
        yield* openForAccount((yield* CurrentTenant).account.slug)
        const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
        yield* yield* ReleaseTenant
        response.writeHead(200, { ...type, "x-request-id": yield* RequestId })
        yield* follow(campaign.id, response)
        return HttpServerResponse.empty()
      }, Effect.scoped),
    )
  }),
)
