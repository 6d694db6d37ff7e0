import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { made } from "../support/Fixtures.ts"
import { type Campaigner, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { type Client, sideBySide, speak, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { home, keyOf, type Page, sessionOf, visit } from "../support/WidgetPage.ts"

/** A visitor's page in an account of its own, with the scripted agent Rosa. */
interface Stage {
  readonly own: Campaigner
  readonly owner: Client
  readonly key: string
  readonly url: string
  readonly session: () => ReturnType<typeof sessionOf>
  readonly page: (hello?: object) => Promise<Page>
  /** The call that the conversation is. */
  readonly call: (id: string) => Promise<typeof Call.Encoded>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
}

const staged = (body: (stage: Stage) => Promise<void>, settings: object = {}, keyed: object = {}) =>
  inAccountOfItsOwn(async (own, owner, { url }) => {
    const server = speak(url)
    const key = await keyOf(owner, own.line.agent_id, keyed)
    const session = () => sessionOf(server, key)
    const call = async (id: string) => made(await owner.get(`/api/v1/calls/${id}`))
    const ended: Stage["ended"] = (id) =>
      until(async () => {
        const found = await call(id)
        return found.ended_at !== null && found
      })
    const page: Stage["page"] = async (hello) => visit(await session(), hello === undefined ? {} : { hello })
    await body({ own, owner, key, url, session, page, call, ended })
  }, settings)

it.layer(TestServer.layer, sideBySide)("a chat in the widget (decisions §3, §5)", (it) => {
  const test = (name: string, body: (stage: Stage) => Promise<void>, settings?: object, keyed?: object) =>
    it.effect(name, () => staged(body, settings, keyed))

  test("is a call: greeted, answered, ended by the visitor, with its words in the transcript", async (stage) => {
    const page = await stage.page()
    const { conversation, features, resumed } = await page.next("ready")
    assert.deepStrictEqual([resumed, features], [false, { voice: false }])
    const greeting = await page.next("line")
    assert.deepInclude(greeting, { line: 1, by: "agent", text: "Hello there, this is Rosa." })
    page.write("What are your opening hours?", "m1")
    assert.deepInclude(await page.next("line"), {
      line: 2,
      by: "visitor",
      text: "What are your opening hours?",
      id: "m1",
    })
    const answer = await page.next("line")
    assert.deepInclude(answer, { line: 3, by: "agent" })
    assert.notStrictEqual(answer.text, "")
    assert.deepInclude(await stage.call(conversation), {
      direction: "web",
      status: "in_progress",
      to: null,
      from: null,
    })
    page.send({ type: "end" })
    assert.strictEqual((await page.next("ended")).reason, "visitor_left")
    assert.strictEqual(await page.closed, 1000)
    const call = await stage.ended(conversation)
    assert.deepInclude(call, { status: "completed", outcome: "answered", end_reason: "caller_hung_up" })
    const words = call.transcript.filter(({ role }: { role: string }) => role !== "tool")
    const lines = page.heard.flatMap((message) => (message.type === "line" ? [message] : []))
    // Joined: "One moment, please." is a line of its own on the page, and one with the answer in the record.
    for (const [role, by] of [
      ["agent", "agent"],
      ["caller", "visitor"],
    ]) {
      const kept = words.filter((entry: { role: string }) => entry.role === role)
      const shown = lines.filter((line) => line.by === by)
      assert.strictEqual(
        kept.map(({ text }: { text: string }) => text).join(" "),
        shown.map(({ text }) => text).join(" "),
      )
    }
  })

  test("says the key's own greeting, and knows what the customer's server told of the visitor", async ({
    own,
    owner,
  }) => {
    const agent_id = own.line.agent_id
    const body = { name: "server", kind: "secret", agent_id, greeting: "Good day, {{ first_name }}." }
    const sk = made(await owner.post("/api/v1/widget-keys", body)).key
    const told = { user: { id: "u-17" }, variables: { first_name: "Ada" } }
    const session = made(
      await owner.request("POST", "/api/v1/widget/auth/token", { account: null, token: sk, body: told }),
    )
    const page = await visit(session as { ws_url: string; session_token: string }, { origin: "https://shop.example" })
    assert.strictEqual((await page.next("line")).text, "Good day, Ada.")
  })

  test("what was written before the greeting stands and is answered below it", async ({ page }) => {
    const visitor = await page()
    visitor.write("What are your opening hours?", "m1")
    assert.deepInclude(await visitor.next("line"), { line: 1, by: "agent" })
    assert.deepInclude(await visitor.next("line"), { line: 2, by: "visitor", id: "m1" })
    assert.deepInclude(await visitor.next("line"), { line: 3, by: "agent" })
  })

  test("goes on over another socket, from the line that was seen", async ({ call, page, session }) => {
    const first = await page()
    const { conversation, resume } = await first.next("ready")
    await first.next("line")
    first.write("What are your opening hours?", "m1")
    await first.next("line")
    first.vanish()
    const second = await visit(await session(), { hello: { resume, after: 1 } })
    assert.deepInclude(await second.next("ready"), { conversation, resumed: true })
    assert.deepInclude(await second.next("line"), { line: 2, id: "m1" })
    // It is unknown whether it had arrived, so it is sent again.
    second.write("What are your opening hours?", "m1")
    assert.deepInclude(await second.next("line"), { line: 3, by: "agent" })
    second.write("Thank you.", "m2")
    // On a busy machine the agent goes on before it has read that.
    for (let number = 4, own = false; !own; number++) {
      const line = await second.next("line")
      own = line.by === "visitor"
      assert.deepInclude(line, own ? { line: number, id: "m2" } : { line: number, by: "agent" })
    }
    assert.strictEqual((await call(conversation)).status, "in_progress")
  })

  test("has one page at a time: who comes later has it", async ({ page, session }) => {
    const first = await page()
    const { resume } = await first.next("ready")
    const second = await visit(await session(), { hello: { resume, after: 0 } })
    assert.strictEqual((await second.next("ready")).resumed, true)
    assert.strictEqual((await first.next("refused")).code, "replaced")
    assert.strictEqual(await first.closed, 1008)
  })

  test("is nothing that another account can enter, whatever it knows of it", async ({ page, url }) => {
    const first = await page()
    const { resume } = await first.next("ready")
    await first.next("line")
    const server = speak(url)
    const stranger = await server.ownerOf("stranger")
    const agent = made(await stranger.post("/api/agents", { name: `a-${resume.slice(0, 6)}`, system_prompt: "x" }))
    const theirs = await sessionOf(server, await keyOf(stranger, agent.id))
    const intruder = await visit(theirs, { hello: { resume, after: 0 } })
    assert.deepStrictEqual(await intruder.next("ended"), { type: "ended", reason: "interrupted" })
    assert.strictEqual(intruder.heard.length, 1)
    first.write("Still here?", "m1")
    assert.deepInclude(await first.next("line"), { id: "m1" })
  })

  test("a session has one conversation at a time", async ({ ended, session }) => {
    const once = await session()
    const first = await visit(once)
    const { conversation } = await first.next("ready")
    const second = await visit(once)
    assert.notStrictEqual((await second.next("ready")).conversation, conversation)
    assert.strictEqual((await ended(conversation)).status, "completed")
  })

  test("a session has one conversation at a time, also if its pages come in the same moment", async ({ session }) => {
    const once = await session()
    const pages = await Promise.all(Array.from({ length: 4 }, () => visit(once)))
    await Promise.all(pages.map((page) => page.next("ready")))
    const isOver = ({ heard }: Page) => heard.some(({ type }) => type === "ended")
    await until(async () => pages.filter(isOver).length === 3)
    for (const page of pages) page.close()
  })

  test("a conversation that no longer exists is over, and no other begins unasked", async ({ owner, session }) => {
    const page = await visit(await session(), { hello: { resume: "long-ago", after: 7 } })
    assert.strictEqual((await page.next("ended")).reason, "interrupted")
    assert.strictEqual(await page.closed, 1000)
    assert.strictEqual(made(await owner.get("/api/v1/calls")).total, 0)
  })

  test(
    "counts in the caps: the one too many hears which, and when to come again",
    async ({ owner, page }) => {
      await (await page()).next("ready")
      const refused = await page()
      const { code, retry_after_seconds } = await refused.next("refused")
      assert.strictEqual(code, "concurrent_cap")
      assert.isAtLeast(retry_after_seconds ?? 0, 1)
      assert.strictEqual(await refused.closed, 1013)
      assert.strictEqual(made(await owner.get("/api/v1/calls")).total, 1)
    },
    { concurrent_max: 1 },
  )

  test(
    "takes at most half of the account's simultaneous calls, and leaves the rest to calls that are dialled",
    async ({ owner, page }) => {
      for (let visitor = 0; visitor < 2; visitor++) await (await page()).next("ready")
      const refused = await page()
      const { code, detail } = await refused.next("refused")
      assert.strictEqual(code, "concurrent_cap")
      assert.strictEqual(
        detail,
        "Widget conversations already use all 2 concurrent calls that they may have in this account",
      )
      const { agent_id } = made(await owner.get("/api/v1/calls")).items[0]!
      const number = made(await owner.post("/api/phone-numbers", { number: "+14155550900", carrier: "lab" }))
      const call = { agent_id, phone_number_id: number.id, to: "+14155550901" }
      assert.strictEqual((await owner.post("/api/v1/calls", call)).status, 201)
    },
    { concurrent_max: 4 },
  )

  test("is hung up by POST /hangup as any call is", async ({ owner, page }) => {
    const visitor = await page()
    const { conversation } = await visitor.next("ready")
    await visitor.next("line")
    assert.strictEqual((await owner.post(`/api/v1/calls/${conversation}/hangup`)).status, 200)
    assert.strictEqual((await visitor.next("ended")).reason, "hung_up")
  })

  test("is for pages of the key's origins alone, with a token of ours", async ({ key, session }) => {
    const refusal = async (place: Parameters<typeof visit>[1], with_: Parameters<typeof visit>[0]) => {
      const page = await visit(with_, place)
      const { code } = await page.next("refused")
      assert.strictEqual(await page.closed, 1008)
      return code
    }
    const good = await session()
    assert.strictEqual(await refusal({ origin: "https://evil.example" }, good), "origin_forbidden")
    assert.strictEqual(await refusal({ origin: "" }, good), "origin_forbidden")
    assert.strictEqual(await refusal({}, { ...good, session_token: `${good.session_token}x` }), "unauthenticated")
    assert.strictEqual(await refusal({}, { ...good, session_token: key }), "unauthenticated")
    const opaque = await visit(good, { origin: "null" }).catch((cause: Error) => cause)
    assert.instanceOf(opaque, Error)
    assert.match(opaque.message, /403/)
  })

  test("a token that is no good opens nothing, and what comes first is the hello", async ({ owner, session }) => {
    const good = await session()
    const silent = await visit(good, { hello: null })
    const must = /^The first message must be \{"type":"hello","token":…\} with the token of a session.* 10 seconds/
    for (const first of [
      "",
      "nonsense",
      "[]",
      '{"type":"text","id":"1","text":"hi"}',
      '{"type":"hello"}',
      "\u0000",
      new Uint8Array(8),
    ]) {
      const page = await visit(good, { hello: null })
      page.send(first)
      const { code, detail } = await page.next("refused")
      assert.strictEqual(code, "invalid_message", String(first))
      if (typeof first === "string") assert.match(detail, must)
      assert.strictEqual(await page.closed, 1008)
    }
    const { code, detail } = await silent.next("refused")
    assert.strictEqual(code, "invalid_message")
    assert.match(detail, must)
    assert.strictEqual(await silent.closed, 1008)
    assert.strictEqual(made(await owner.get("/api/v1/calls")).total, 0)
  })

  test("says what it does not take: other messages, long ones, too many", async ({ page }) => {
    const after = async (act: (page: Page) => void) => {
      const visitor = await page()
      await visitor.next("ready")
      act(visitor)
      const code = await visitor.closed
      const refusal = visitor.heard.find((message) => message.type === "refused")
      return [refusal?.code, code]
    }
    const text = (text: string) => JSON.stringify({ type: "text", id: "1", text })
    assert.deepStrictEqual(await after((page) => page.send(text("x".repeat(4_001)))), ["invalid_message", 1008])
    assert.deepStrictEqual(await after((page) => page.send(text("   "))), ["invalid_message", 1008])
    // The database cannot keep these ids.
    for (const id of ["a\0b", "\ud800"]) {
      assert.deepStrictEqual(await after((page) => page.write("Hello?", id)), ["invalid_message", 1008])
    }
    assert.deepStrictEqual(await after((page) => page.send({ type: "dance" })), ["invalid_message", 1008])
    assert.deepStrictEqual(await after((page) => page.send(text("x".repeat(40_000)))), ["body_too_large", 1009])
    assert.deepStrictEqual(await after((page) => page.send("x".repeat(200_000))), [undefined, 1009])
    const many = (page: Page) => Array.from({ length: 200 }, () => page.send({ type: "ping" }))
    assert.deepStrictEqual(await after(many), ["rate_limited", 1008])
  })

  test("keeps what a visitor writes as text, whatever it is", async ({ page }) => {
    const visitor = await page()
    await visitor.next("line")
    const text = "<script>alert(1)</script>{{ phone_number }}{% raw %}\u202e 😀"
    visitor.write(text)
    assert.strictEqual((await visitor.next("line")).text, text)
  })

  it.effect("an address that speaks WebSocket says so to who does not", () =>
    Effect.flatMap(TestServer, (server) =>
      Effect.promise(async () => {
        const answer = await server.request("GET", "/api/v1/widget/ws", { headers: { origin: home } })
        assert.deepInclude(answer.body, { status: 426, code: "invalid_request" })
        assert.strictEqual(answer.headers.get("upgrade"), "websocket")
      }),
    ),
  )
})
