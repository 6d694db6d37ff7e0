/** Webhooks in tests: an account that can call, a receiver for its events, and their deliveries. */
import { Effect, Layer } from "effect"
import { type Caller, caller, wide } from "./Callers.ts"
import { made } from "./Fixtures.ts"
import { type Receiver, receiver } from "./Receiver.ts"
import { type Client, TestServer } from "./TestServer.ts"
import { until } from "./Until.ts"

export const path = "/api/v1/webhooks"
export const options = { timeout: "120 seconds", excludeTestServices: true } as const

/** A server whose webhooks may reach this machine, where the receivers are. */
export const reachesLoopback = Layer.fresh(TestServer.layerWith({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }))
/** Such a server on which calls last for seconds. */
export const reachesLoopbackSlowly = Layer.fresh(
  TestServer.layerWith({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1", LAB_SPEED: "6" }),
)

export const busy = "+14155551070"
export const talks = "+14155551000"

interface Setting {
  readonly owner: Client
  readonly caller: Caller
  readonly endpoint: Receiver
  readonly server: TestServer["Service"]
}

/** Runs `body` with a new account that can call, and a receiver. */
export const test = (body: (setting: Setting) => Promise<void>) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const endpoint = yield* Effect.acquireRelease(
      Effect.promise(() => receiver()),
      ({ close }) => Effect.sync(close),
    )
    yield* Effect.promise(async () => {
      const owner = await server.ownerOf(`w${crypto.randomUUID().slice(0, 8)}`, wide)
      await body({ owner, caller: await caller(owner), endpoint, server })
    })
  })

export const webhook = async (owner: Client, url: string, fields: object = {}) =>
  made(await owner.post(path, { url, events: ["*"], ...fields }))

export const deliveriesOf = async (owner: Client, id: string, query = "") =>
  made(await owner.get(`${path}/${id}/deliveries?${query}`)).items

/** Waits for the webhook's deliveries to fit, and returns them. */
export const untilDelivered = (
  owner: Client,
  id: string,
  fits: (deliveries: Awaited<ReturnType<typeof deliveriesOf>>) => boolean,
) =>
  until(async () => {
    const found = await deliveriesOf(owner, id)
    return fits(found) && found
  })
