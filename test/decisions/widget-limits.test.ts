import { assert, it } from "@effect/vitest"
import { inject } from "vitest"
import { databaseOf, query } from "../support/AccountDatabase.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { speak, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { home, keyOf, type Page, sessionOf, visit } from "../support/WidgetPage.ts"

const database = new URL(inject("postgres"))
database.pathname = `/limits_${crypto.randomUUID().slice(0, 8)}`

const limits = {
  DATABASE_URL: database.href,
  PARLEY_WIDGET_SESSIONS_PER_ADDRESS: "4",
  PARLEY_WIDGET_SESSIONS_PER_KEY: "8",
  PARLEY_WIDGET_MESSAGES_PER_ADDRESS: "3",
  PARLEY_WIDGET_MESSAGES_PER_KEY: "1000",
  PARLEY_TRUSTED_PROXIES: "127.0.0.1, ::1",
}

/** Words of chats take long to write. */
const slowWords = `
  create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return new; end $$;
  create trigger slow before update on live_chats for each row execute function slow()`

it.layer(TestServer.layerWith(limits), { timeout: "120 seconds", excludeTestServices: true })(
  "visitors of a widget key",
  (it) => {
    it.effect("begin so many sessions in a minute from an address, and so many with the key", () =>
      inAccountOfItsOwn(async (own, owner, { url }) => {
        const server = speak(url)
        const agent = own.line.agent_id
        const begin = (key: string, address: string) =>
          server.request("POST", "/api/v1/widget/auth/session", {
            body: { key },
            headers: { origin: home, "x-forwarded-for": address },
          })
        const beginMany = (key: string, address: string) =>
          Promise.all(Array.from({ length: 12 }, () => begin(key, address)))
        const refusedOf = (answers: ReadonlyArray<Awaited<ReturnType<typeof begin>>>) =>
          answers.filter(({ status }) => status === 429)

        const key = await keyOf(owner, agent)
        const fromOne = await beginMany(key, "198.51.100.1")
        const [refused] = refusedOf(fromOne)
        assert.isAtLeast(fromOne.filter(({ status }) => status === 200).length, 4)
        assert.deepInclude(refused?.body as object, {
          code: "rate_limited",
          what: "sessions",
          limited_by: "address",
          limit: 4,
          title: "Too many visitors",
          detail: `Visitors from this address have begun 4 sessions within a minute, which is the limit. Try again at ${refused?.body.resets_at}.`,
        })
        assert.isAtLeast(Number(refused?.headers.get("retry-after")), 1)
        assert.strictEqual(refused?.headers.get("access-control-allow-origin"), home)

        // The address took nothing from others, before the key's own limit.
        assert.strictEqual((await begin(key, "198.51.100.2")).status, 200)
        const fromOthers = [
          ...(await beginMany(key, "198.51.100.2")),
          ...(await beginMany(key, "198.51.100.3")),
          ...(await beginMany(key, "198.51.100.4")),
        ]
        assert.include(
          refusedOf(fromOthers).map(({ body }) => body.limited_by),
          "key",
        )
        assert.strictEqual((await begin(await keyOf(owner, agent), "198.51.100.1")).status, 200)
      }),
    )

    it.effect("write so many messages in a minute, over all of their conversations", () =>
      inAccountOfItsOwn(async (own, owner, { url }) => {
        const key = await keyOf(owner, own.line.agent_id)
        const pages: Array<Page> = []
        for (let at = 0; at < 2; at++) pages.push(await visit(await sessionOf(speak(url), key)))
        for (const page of pages) for (let at = 0; at < 4; at++) page.write("What are your opening hours?")
        const [code] = await Promise.race(pages.map(async (page) => [await page.closed, page] as const))
        assert.strictEqual(code, 1013)
        const refusal = pages.flatMap(({ heard }) => heard).find(({ type }) => type === "refused")
        assert.deepInclude(refusal, { code: "rate_limited" })
        assert.match(JSON.stringify(refusal), /sent 3 messages within a minute.*retry_after_seconds":\d+/)
      }),
    )

    it.effect("move a conversation between processes as often as they may write: it may cost a reply each time", () =>
      inAccountOfItsOwn(async (own, owner, { url }) => {
        const session = await sessionOf(speak(url), await keyOf(owner, own.line.agent_id))
        const { conversation, resume } = await (await visit(session)).next("ready")
        const account = await databaseOf(database, owner.account)
        const comeBack = async () => {
          const page = await visit(session, { hello: { resume, after: 0 } })
          return await Promise.race([page.next("ready").then(() => "open" as const), page.closed]).catch(
            () => page.closed,
          )
        }
        // To come back to the process that has it costs nothing.
        for (let at = 0; at < 5; at++) assert.strictEqual(await comeBack(), "open")
        const seen: Array<number | "open"> = []
        for (let at = 0; at < 5; at++) {
          // Another process has it.
          await query(account, "update calls set node_id = gen_random_uuid() where id = $1", [conversation])
          seen.push(await comeBack())
        }
        assert.deepStrictEqual(seen, ["open", "open", "open", 1013, 1013])
      }),
    )

    it.effect(
      "may begin anew while the database is slow: the conversation before ends, in the middle of a statement",
      () =>
        inAccountOfItsOwn(
          async (own, owner, { url }) => {
            const session = await sessionOf(speak(url), await keyOf(owner, own.line.agent_id))
            await query(await databaseOf(database, owner.account), slowWords)
            const begin = async () => (await (await visit(session)).next("ready")).conversation
            const before = [await begin(), await begin(), await begin()]
            await begin()
            for (const id of before) {
              const ended = await until(async () => {
                const call = made(await owner.get(`/api/v1/calls/${id}`))
                return call.ended_at !== null && call
              })
              assert.strictEqual(ended.end_reason, "caller_hung_up")
            }
          },
          { concurrent_max: 100, calls_per_minute: 1000 },
        ),
      // The next transaction of the account did not begin for thirty seconds and more.
      30_000,
    )

    it.effect("begin so many conversations in a minute, with one session as with many", () =>
      inAccountOfItsOwn(
        async (own, owner, { url }) => {
          const session = await sessionOf(speak(url), await keyOf(owner, own.line.agent_id))
          const closes: Array<number | "open"> = []
          for (let at = 0; at < 8; at++) {
            const page = await visit(session)
            closes.push(
              await Promise.race([
                page.next("ready").then(
                  () => "open" as const,
                  () => page.closed,
                ),
                page.closed,
              ]),
            )
          }
          assert.deepStrictEqual([...new Set(closes)].toSorted(), [1013, "open"])
          assert.isBelow(made(await owner.get("/api/v1/calls")).total, 8)
        },
        { concurrent_max: 100, calls_per_minute: 1000 },
      ),
    )
  },
)
