/** Tools that change something act once, whatever becomes of the call, its process and its page (decision 0070). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { http } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import type { Member } from "../support/Fleet.ts"
import { linesOf, Parts, parts, type Stage, staged } from "../support/MovingChats.ts"
import { type Receiver, receiver } from "../support/Receiver.ts"
import { until } from "../support/Until.ts"

const booked = JSON.stringify({ booked: "Monday" })

/** A chat at `member` whose agent is booking: the shop has the request, and does not answer yet. */
const booking = async (stage: Stage, member: Member, shop: Receiver, config: object = {}) => {
  const { agent_id, begun, models, owner } = stage
  const path = `/${crypto.randomUUID()}`
  let answer = () => {}
  shop.answer(path, (response) => {
    answer = () => void response.writeHead(200, { "content-type": "application/json" }).end(booked)
  })
  const tool = made(await owner.post("/api/tools", http({ url: shop.at(path), ...config })))
  made(await owner.post(`/api/agents/${agent_id}/tools`, { tool_name: tool.name }))
  models.begin([{ calls: [{ name: tool.name, args: { day: "Monday" } }] }])
  const chat = await begun(member)
  chat.page.write("Please book Monday.", "m1")
  await chat.page.next("line")
  const [request] = await shop.until(path, 1)
  const requests = () => shop.received.filter((one) => one.path === path)
  return { ...chat, path, key: request?.headers["idempotency-key"] ?? "", requests, answer: () => answer() }
}

type Booking = Awaited<ReturnType<typeof booking>>

/** The call, when its record has the tool. */
const recorded = ({ find }: Stage, { id }: Booking): Promise<typeof Call.Encoded> =>
  until(async () => {
    const call = await find(id)
    return call.ended_at !== null && call.tool_invocations.length > 0 && call
  })

const answersAtOnce = (shop: Receiver, path: string) =>
  shop.answer(path, (response) => void response.writeHead(200, { "content-type": "application/json" }).end(booked))

const unknown = {
  code: "interrupted",
  message: "It was interrupted; whether it had taken effect is not known",
}

it.layer(parts, { timeout: "240 seconds", excludeTestServices: true })("a tool that changes something", (it) => {
  const test = (name: string, body: (stage: Stage, shop: Receiver) => Promise<void>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const shop = yield* Effect.acquireRelease(Effect.promise(receiver), ({ close }) => Effect.sync(close))
          const all = yield* Parts
          yield* Effect.promise(() => staged(all, (stage) => body(stage, shop)))
        }),
      120_000,
    )

  test("goes on when the visitor leaves, and the call's record gets its result", async (stage, shop) => {
    const chat = await booking(stage, stage.one, shop)
    chat.page.send({ type: "end" })
    const call = await stage.ended(chat.id)
    assert.deepStrictEqual(call.tool_invocations, [])
    chat.answer()
    const { tool_invocations, transcript } = await recorded(stage, chat)
    assert.strictEqual(tool_invocations.length, 1)
    assert.deepInclude(tool_invocations[0], {
      id: chat.key,
      arguments: { day: "Monday" },
      result: { booked: "Monday" },
    })
    assert.deepInclude(transcript.at(-1), { role: "tool", text: booked, tool_invocation_id: chat.key })
    assert.strictEqual(chat.requests().length, 1)
    await until(async () => (await stage.query("select from tool_requests")).length === 0)
  })

  test("has one record if it ended before the call", async (stage, shop) => {
    const chat = await booking(stage, stage.one, shop)
    stage.models.begin([{ says: "It is booked." }])
    chat.answer()
    await until(() => linesOf(chat.page).at(-1)?.endsWith("It is booked."))
    chat.page.send({ type: "end" })
    const { tool_invocations } = await recorded(stage, chat)
    assert.deepStrictEqual([tool_invocations.length, tool_invocations[0]?.id], [1, chat.key])
    await until(async () => (await stage.query("select from tool_requests")).length === 0)
    assert.strictEqual((await stage.find(chat.id)).tool_invocations.length, 1)
  })

  test("is not repeated after its process was killed: the record says that its effect is not known", async (stage, shop) => {
    const gone = await stage.all.join()
    const chat = await booking(stage, gone, shop)
    chat.page.send({ type: "end" })
    await stage.ended(chat.id)
    gone.child.kill("SIGKILL")
    const { tool_invocations } = await recorded(stage, chat)
    assert.deepInclude(tool_invocations[0], { id: chat.key, arguments: { day: "Monday" }, error: unknown })
    assert.strictEqual(chat.requests().length, 1)
  })

  test("is repeated under its key after its process was killed, if its server honours the key", async (stage, shop) => {
    const gone = await stage.all.join()
    const chat = await booking(stage, gone, shop, { idempotent: true })
    chat.page.send({ type: "end" })
    await stage.ended(chat.id)
    let refusals = 0
    shop.answer(chat.path, (response) => {
      if (refusals++ === 0) return void response.writeHead(503).end()
      response.writeHead(200, { "content-type": "application/json" }).end(booked)
    })
    gone.child.kill("SIGKILL")
    const { tool_invocations } = await recorded(stage, chat)
    assert.strictEqual(tool_invocations.length, 1)
    assert.deepInclude(tool_invocations[0], { id: chat.key, result: { booked: "Monday" } })
    assert.deepStrictEqual(
      chat.requests().map(({ headers }) => headers["idempotency-key"]),
      [chat.key, chat.key, chat.key],
    )
  })

  test("hands its result to the model if the page reaches another process meanwhile", async (stage, shop) => {
    const chat = await booking(stage, stage.one, shop)
    stage.models.begin([{ says: "It is booked." }])
    const second = await stage.page(stage.two, { resume: chat.resume, after: 2 })
    await second.next("ready")
    chat.answer()
    await until(() => linesOf(second).at(-1)?.endsWith("It is booked."))
    assert.include(JSON.stringify(stage.models.asked[0]?.body.messages), "booked")
    assert.strictEqual(chat.requests().length, 1)
    second.send({ type: "end" })
    const { tool_invocations } = await recorded(stage, chat)
    assert.deepStrictEqual([tool_invocations.length, tool_invocations[0]?.id], [1, chat.key])
  })

  test("hands its result to the model after a kill, if its server honours the key", async (stage, shop) => {
    const gone = await stage.all.join()
    const chat = await booking(stage, gone, shop, { idempotent: true })
    answersAtOnce(shop, chat.path)
    stage.models.begin([{ says: "It is booked." }])
    gone.child.kill("SIGKILL")
    await chat.page.closed
    const second = await stage.page(stage.two, { resume: chat.resume, after: 2 })
    await until(() => linesOf(second).at(-1)?.endsWith("It is booked."))
    assert.strictEqual(stage.models.asked.length, 1)
    assert.deepStrictEqual(
      new Set(chat.requests().map(({ headers }) => headers["idempotency-key"])),
      new Set([chat.key]),
    )
  })
})
