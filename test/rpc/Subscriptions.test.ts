import { assert, it } from "@effect/vitest"
import type { Unsubscribable } from "@trpc/server/observable"
import { caller } from "../support/Callers.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { headersOf, live } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const server = TestServer.layerWith({ LAB_SPEED: "12" })

interface Subscribable<Input, Data> {
  readonly subscribe: (
    input: Input,
    handlers: { onData: (data: Data) => void; onComplete: () => void; onError: (error: unknown) => void },
  ) => Unsubscribable
}

/** Gathers what a subscription says, until it is over. */
const gather = <Input, Data>(procedure: Subscribable<Input, Data>, input: Input) => {
  const heard: Array<Data> = []
  let stop = () => {}
  const over = new Promise<ReadonlyArray<Data>>((resolve, reject) => {
    const { unsubscribe } = procedure.subscribe(input, {
      onData: (data) => heard.push(data),
      onComplete: () => resolve(heard),
      onError: reject,
    })
    stop = unsubscribe
  })
  return { heard, over, stop: () => stop() }
}

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("what goes on, over the router", (it) => {
  it.effect("is told of a campaign snapshot by snapshot, and over with the last one", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const rpc = live(url, headersOf(owner))
      const { id } = await own.running(["+14155550101", "+14155550102"])
      const { over } = gather(rpc.campaigns.live, { id })
      const snapshots = await over
      const last = snapshots.at(-1)
      assert.strictEqual(last?.data.status, "completed")
      assert.strictEqual(last?.data.counts.completed, 2)
      const seen = gather(rpc.campaigns.live, { id, lastEventId: last?.id })
      assert.deepStrictEqual(await seen.over, [])
    }),
  )

  it.effect("is told of a call entry by entry while it is spoken, then its end; a reader that comes back goes on", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const rpc = live(url, headersOf(owner))
      const { call } = await caller(owner)
      const { id } = made(await call("+14155550112"))
      const { over } = gather(rpc.calls.transcript, { id })
      const all = await over
      const whole = await rpc.calls.get.query({ id })
      assert.isNotEmpty(whole.transcript)
      assert.deepStrictEqual(
        all.flatMap(({ data }) => (data.entry === null ? [] : [data.entry])),
        whole.transcript,
      )
      assert.strictEqual(all.at(-1)?.data.ended?.status, "completed")
      const rest = gather(rpc.calls.transcript, { id, lastEventId: "1" })
      assert.deepStrictEqual(await rest.over, all.slice(1))
    }),
  )

  it.effect("is told of the calls that go on, as they come and end", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const rpc = live(url, headersOf(owner))
      const { call } = await caller(owner)
      const { heard, stop } = gather(rpc.calls.live, undefined)
      await until(() => heard.length > 0)
      assert.deepStrictEqual(heard[0]?.data.items, [])
      // One that goes on until it was seen.
      const { id } = made(await call("+14155550165"))
      await until(() => heard.at(-1)?.data.items.some((one) => one.id === id))
      made(await owner.post(`/api/v1/calls/${id}/hangup`))
      await until(() => heard.at(-1)?.data.items.length === 0)
      stop()
    }),
  )

  it.effect("is refused to who may not look, and of what is not there", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const id = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"
      const nobody = live(url, { ...headersOf(owner), authorization: "Bearer nothing" })
      const refusal = (rpc: typeof nobody) =>
        gather(rpc.campaigns.live, { id }).over.then(
          () => undefined,
          (error) => error.data.code,
        )
      assert.strictEqual(await refusal(nobody), "unauthenticated")
      assert.strictEqual(await refusal(live(url, headersOf(owner))), "not_found")
    }),
  )
})
