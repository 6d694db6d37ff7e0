/** What one socket, or one batch, may take of the process. */
import { assert, it } from "@effect/vitest"
import { once } from "node:events"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { WebSocket } from "ws"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import type { Problem, RpcBody } from "../support/Contract.ts"
import { made } from "../support/Fixtures.ts"
import { handshake, openSocket } from "../support/RawSocket.ts"
import { headersOf } from "../support/RpcClient.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const mebibyte = 1024 * 1024

/** What is held is not what a busy machine has not collected yet. */
setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** A socket that has said who it is, and every message that it hears. */
const connect = async (url: string, params: Record<string, string>) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/trpc-ws?connectionParams=1`)
  const heard: Array<{
    readonly id: number | null
    readonly result?: { readonly type: string; readonly data: unknown }
    readonly error?: { readonly data: Problem }
  }> = []
  socket.on("message", (data) => {
    const text = String(data)
    if (text === "PING") socket.send("PONG")
    else heard.push(JSON.parse(text))
  })
  socket.on("error", () => {})
  const closed = once(socket, "close").then(([code]) => code as number)
  await once(socket, "open")
  socket.send(JSON.stringify({ method: "connectionParams", data: params }))
  const ask = (id: number, method: string, path: string, input?: unknown) =>
    socket.send(JSON.stringify({ id, method, params: { path, input } }))
  return { socket, heard, closed, ask }
}

/** Agents whose list is an answer of more than 1 MiB. */
const withLongList = async (owner: Client) => {
  const prompt = "x".repeat(60_000)
  for (let at = 0; at < 20; at++) {
    made(await owner.post("/api/agents", { name: `Long ${at}`, system_prompt: prompt }))
  }
}

it.layer(TestServer.layer, { timeout: "180 seconds", excludeTestServices: true })("a socket to the router", (it) => {
  it.effect("is not read while its answers are not taken, and all come when they are", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      await withLongList(owner)
      const { ask, heard, socket } = await connect(url, headersOf(owner))
      ask(0, "query", "agents.list", { page_size: 1 })
      await until(() => heard.length === 1)
      const held = () => {
        collectGarbage()
        return process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
      }
      const before = held()
      socket.pause()
      for (let id = 1; id <= 150; id++) ask(id, "query", "agents.list", {})
      // Others are answered meanwhile; what the socket is owed does not grow.
      for (let at = 0; at < 40; at++) assert.strictEqual((await owner.get("/api/agents?page_size=1")).status, 200)
      assert.isBelow(held() - before, 80 * mebibyte)
      socket.resume()
      await until(() => heard.length === 151)
      assert.isTrue(heard.every(({ result }) => result !== undefined))
      socket.terminate()
    }),
  )

  it.effect("has so many subscriptions and no more", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const { ask, heard, socket } = await connect(url, headersOf(owner))
      for (let id = 1; id <= 70; id++) ask(id, "subscription", "calls.live")
      const refused = () => heard.filter(({ error }) => error?.data.code === "too_many_subscriptions")
      await until(() => refused().length === 6)
      await until(() => heard.filter(({ result }) => result?.type === "started").length === 64)
      socket.send(JSON.stringify({ id: 1, method: "subscription.stop" }))
      await until(() => heard.some(({ id, result }) => id === 1 && result?.type === "stopped"))
      ask(71, "subscription", "calls.live")
      await until(() => heard.some(({ id, result }) => id === 71 && result?.type === "started"))
      assert.lengthOf(refused(), 6)
      socket.terminate()
    }),
  )

  it.effect("refuses input that is too deep, and what is no message, and stays open", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const { ask, heard, socket } = await connect(url, headersOf(owner))
      const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`
      socket.send(`{"id":1,"method":"query","params":{"path":"agents.get","input":${deep}}}`)
      for (const text of ["{", "[1]", '{"id":null,"method":"query","params":{"path":"x"}}']) socket.send(text)
      socket.send(Buffer.from("{}"))
      ask(2, "query", "agents.nothing")
      ask(3, "query", "agents.list", {})
      await until(() => heard.some(({ id }) => id === 3))
      const codeOf = (id: number) => heard.find((message) => message.id === id)?.error?.data.code
      assert.deepStrictEqual([codeOf(1), codeOf(2), codeOf(3)], ["invalid_request", "route_not_found", undefined])
      const malformed = heard.filter(({ id }) => id === null)
      assert.deepStrictEqual(
        malformed.map(({ error }) => error?.data.code),
        Array.from({ length: 4 }, () => "invalid_request"),
      )
      socket.terminate()
    }),
  )

  it.effect("closes on a client without a token that sends much, and on any client that sends nonsense", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const stranger = await connect(url, { ...headersOf(owner), authorization: "Bearer nonsense" })
      stranger.socket.send(
        `{"id":1,"method":"mutation","params":{"path":"agents.create","input":"${"x".repeat(20_000)}`,
      )
      assert.strictEqual(await stranger.closed, 1009)
      const talker = await connect(url, headersOf(owner))
      for (let at = 0; at < 20; at++) talker.socket.send("nonsense")
      assert.strictEqual(await talker.closed, 1008)
    }),
  )
})

it.layer(TestServer.layer, { timeout: "60 seconds", excludeTestServices: true })("any socket of a client", (it) => {
  const paths = ["/trpc-ws", "/api/v1/widget/ws", "/api/v1/takeovers/ws"]
  const open = async (url: string, path: string) => {
    const socket = new WebSocket(url.replace("http", "ws") + path)
    const closed = once(socket, "close").then(([code]) => code as number)
    socket.on("error", () => {})
    await once(socket, "open")
    return { socket, closed }
  }

  it.effect("is closed when it sends keep-alives without end, which it need not read the answers of", () =>
    inAccountOfItsOwn(async (_, _owner, { url }) => {
      for (const word of ["PING", "PONG"]) {
        const { closed, socket } = await open(url, "/trpc-ws")
        for (let at = 0; at < 100; at++) socket.send(word)
        assert.strictEqual(await closed, 1008, word)
      }
      for (const path of paths) {
        const { closed, socket } = await open(url, path)
        for (let at = 0; at < 100; at++) socket.pong()
        assert.strictEqual(await closed, 1006, path)
      }
    }),
  )

  it.effect("is cut off when it goes on sending after the server has closed it", () =>
    inAccountOfItsOwn(async (_, _owner, { url }) => {
      for (const path of paths.slice(1)) {
        const socket = await openSocket(url)
        const heard = once(socket, "data")
        socket.write(requestLines(path))
        await heard
        const began = performance.now()
        const closed = once(socket, "close")
        // A frame of text without content, masked. It is no message of any protocol, and the close is not answered.
        const frame = Buffer.from([0x81, 0x80, 0, 0, 0, 0])
        socket.write(Buffer.concat(Array<Buffer>(2_000).fill(frame)))
        socket.resume()
        await closed
        assert.isBelow(performance.now() - began, 4_000, path)
      }
    }),
  )
})

const requestLines = (path: string) => [`GET ${path} HTTP/1.1`, "Host: localhost", ...handshake, "", ""].join("\r\n")

it.layer(TestServer.layer, { timeout: "180 seconds", excludeTestServices: true })("a batch of calls", (it) => {
  it.effect("is answered as far as there is room for answers; the other calls are not begun, and told so", () =>
    inAccountOfItsOwn(async (_, owner) => {
      await withLongList(owner)
      const names = Array.from({ length: 60 }, () => "agents.list").join(",")
      const { body, status } = await owner.get(`/trpc/${names}?batch=1&input=%7B%7D`)
      assert.strictEqual(status, 207)
      const codes = (body as unknown as ReadonlyArray<RpcBody>).map(({ error }) => error?.data.code)
      assert.isUndefined(codes[0])
      assert.strictEqual(codes.at(-1), "answer_too_large")
      assert.isBelow(JSON.stringify(body).length, 20 * mebibyte)
    }),
  )

  it.effect("of strangers is not parsed: the token is refused first, and more than 16 KiB is not read", () =>
    inAccountOfItsOwn(async (_, owner) => {
      const ask = async (path: string, text: string, token: string | null) => {
        const headers = { "content-type": "application/json" }
        const answer = await owner.request("POST", `/trpc/${path}`, { body: text, headers, token })
        return [answer.status, (Array.isArray(answer.body) ? answer.body[0] : answer.body).error.data.code]
      }
      for (const path of ["agents.create", "agents.create,faqs.create?batch=1", "agents.create?x=1"]) {
        assert.deepStrictEqual(await ask(path, "{", null), [401, "unauthenticated"])
        assert.deepStrictEqual(await ask(path, `{"a":"${"x".repeat(100_000)}`, "nonsense"), [401, "unauthenticated"])
        assert.deepStrictEqual(await ask(path, "{", owner.token), [400, "invalid_request"])
      }
      const long = JSON.stringify({ email: "a@example.com", account: "x".repeat(20_000) })
      assert.deepStrictEqual(await ask("auth.login", long, null), [413, "body_too_large"])
    }),
  )
})
