/** How many streams and sockets are open at once: over REST, over the router, over sockets; of accounts and of strangers. */
import { assert, it } from "@effect/vitest"
import { once } from "node:events"
import { WebSocket } from "ws"
import type { Problem } from "../../support/Contract.ts"
import { follow, inAccountOfItsOwn, numbersOf } from "../../support/Campaigner.ts"
import { headersOf } from "../../support/RpcClient.ts"
import { type Answer, type Client, speak, TestServer } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"
import { home, keyOf, sessionOf, visit } from "../../support/WidgetPage.ts"

const limits = {
  PARLEY_STREAMS_PER_ACCOUNT: "3",
  PARLEY_STREAMS_PER_ADDRESS: "2",
  PARLEY_WIDGET_SOCKETS_PER_ACCOUNT: "2",
}

/** A socket to the router, and the first answer that it hears or how it ends. */
const connect = (url: string, params?: object) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/trpc-ws?connectionParams=1`)
  const refused = new Promise<string>((resolve) => {
    socket.on("error", ({ message }) => resolve(message))
    socket.on("close", (code, reason) => resolve(`${code} ${String(reason)}`))
  })
  const opened = once(socket, "open").then(() => "open")
  const heard = new Promise<string>((resolve) => socket.once("message", () => resolve("answered")))
  const introduced = opened.then(() => {
    socket.send(JSON.stringify({ method: "connectionParams", data: params }))
    socket.send(JSON.stringify({ id: 1, method: "query", params: { path: "agents.list", input: {} } }))
  })
  introduced.catch(() => {})
  opened.catch(() => {})
  return { socket, opened, outcome: Promise.race([heard, refused]), refused }
}

/** A subscription over server-sent events. */
const subscribe = async (url: string, owner: Client) => {
  const input = encodeURIComponent(JSON.stringify({}))
  const gone = new AbortController()
  const response = await fetch(`${url}/trpc/calls.live?input=${input}`, {
    headers: { ...headersOf(owner), accept: "text/event-stream" },
    signal: gone.signal,
  })
  return { response, close: () => gone.abort() }
}

it.layer(TestServer.layerWith(limits), { timeout: "120 seconds", excludeTestServices: true })(
  "open streams and sockets",
  (it) => {
    it.effect("are limited for each account, all kinds together", () =>
      inAccountOfItsOwn(async (own, owner, { url }) => {
        const { id } = await own.draft(numbersOf("01", 1))
        const stream = await follow(url, owner, id)
        const subscription = await subscribe(url, owner)
        assert.deepStrictEqual([stream.response.status, subscription.response.status], [200, 200])
        const socket = connect(url, headersOf(owner))
        assert.strictEqual(await socket.outcome, "answered")

        const path = `/api/v1/campaigns/${id}/events` as const
        const refused: Answer = await owner.get(path)
        assert.deepInclude(refused.body as Problem, {
          status: 429,
          code: "too_many_streams",
          held_by: "account",
          limit: 3,
        })
        assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
        const refusedSubscription = await subscribe(url, owner)
        assert.strictEqual(refusedSubscription.response.status, 429)
        assert.include(await refusedSubscription.response.text(), "too_many_streams")
        assert.strictEqual(
          await connect(url, headersOf(owner)).outcome,
          "1013 This account has 3 streams and sockets open, the maximum. Close some, then connect again.",
        )
        // Everything else goes on, and a place that is given back is free, whichever it was.
        assert.strictEqual((await owner.get(`/api/v1/campaigns/${id}`)).status, 200)
        const taken: Array<() => void> = []
        for (const close of [() => subscription.close(), () => socket.socket.terminate(), () => stream.close()]) {
          await close()
          await until(async () => {
            const next = await subscribe(url, owner)
            taken.push(next.close)
            return next.response.status === 200
          })
          assert.strictEqual((await owner.get(path)).status, 429)
        }
        for (const close of taken) close()
      }),
    )

    it.effect("are limited for each address without a valid token, however many accounts it names", () =>
      inAccountOfItsOwn(async (_, owner, { url }) => {
        const strangers = [connect(url, { "x-account-id": "a", authorization: "Bearer x" }), connect(url, {})]
        for (const { opened } of strangers) assert.strictEqual(await opened, "open")
        assert.match(await connect(url, { "x-account-id": owner.account }).refused, /429/)
        strangers[0]?.socket.terminate()
        // Members pass: the place of the address is theirs only until they have said who they are.
        for (let at = 0; at < 3; at++) {
          await until(async () => {
            const { outcome, socket } = connect(url, headersOf(owner))
            const isAnswered = (await outcome) === "answered"
            socket.terminate()
            return isAnswered
          })
        }
        strangers[1]?.socket.terminate()
      }),
    )

    it.effect(
      "are limited for an account's visitors, who count apart from its members, whether or not they have written",
      () =>
        inAccountOfItsOwn(async (own, owner, { url }) => {
          const key = await keyOf(owner, own.line.agent_id)
          const session = await sessionOf(speak(url), key)
          const first = await visit(session)
          const { resume } = await first.next("ready")
          const second = await visit(await sessionOf(speak(url), key))
          await second.next("ready")

          const third = await visit(await sessionOf(speak(url), key))
          assert.deepInclude(await third.next("refused"), {
            code: "too_many_streams",
            detail: "2 visitors are connected, which is the maximum. Try again in a minute.",
          })
          assert.strictEqual(await third.closed, 1013)
          // A conversation that goes on is told nothing that would end it.
          const back = await visit(session, { hello: { resume } })
          assert.strictEqual(await back.closed, 1013)
          assert.deepStrictEqual(back.heard, [])
          const { outcome, socket } = connect(url, headersOf(owner))
          assert.strictEqual(await outcome, "answered")
          socket.terminate()

          first.vanish()
          await until(async () => {
            const again = await visit(session, { hello: { resume } })
            return again.next("ready").then(
              ({ resumed }) => resumed,
              () => false,
            )
          })
          second.close()
        }),
    )

    it.effect("are limited for each address that has opened the widget's socket and said no hello", () =>
      inAccountOfItsOwn(async (own, owner, { url }) => {
        const session = await sessionOf(speak(url), await keyOf(owner, own.line.agent_id))
        const silent = [await visit(session, { hello: null }), await visit(session, { hello: null })]
        const refused = new WebSocket(session.ws_url, { origin: home })
        const [{ message }] = await once(refused, "error")
        assert.include(message, "429")
        for (const page of silent) page.vanish()
        await until(async () => {
          const page = await visit(session).catch(() => undefined)
          page?.close()
          return page !== undefined
        })
      }),
    )
  },
)
