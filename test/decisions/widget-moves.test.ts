/** Chats of the widget that go on in another process: of one that lives, that stops, or that was killed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { agent, http } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { greeting, linesOf, Parts, parts, readBy, type Stage, staged, wordsOf } from "../support/MovingChats.ts"
import { receiver } from "../support/Receiver.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { keyOf, type Page, sessionOf, visit } from "../support/WidgetPage.ts"
import { wide } from "../support/Callers.ts"

it.layer(parts, { timeout: "240 seconds", excludeTestServices: true })(
  "a chat in the widget whose page reaches another process",
  (it) => {
    const test = (name: string, body: (stage: Stage) => Promise<void>) =>
      it.effect(name, () => Effect.flatMap(Parts, (parts) => Effect.promise(() => staged(parts, body))), 120_000)

    test("goes on there while its process lives: every line once, in order, and no second greeting", async (stage) => {
      const { begun, find, models, one, slots, two } = stage
      models.begin([{ says: "From nine to five." }, { says: "On Sunday we are closed." }])
      const { id, page: first, resume } = await begun(one)
      first.write("When are you open?", "m1")
      await first.next("line")
      assert.strictEqual((await first.next("line")).text, "From nine to five.")
      const second = await stage.page(two, { resume, after: 2 })
      assert.deepInclude(await second.next("ready"), { conversation: id, resume, resumed: true })
      // It is unknown to the page whether it had arrived.
      second.write("When are you open?", "m1")
      second.write("And on Sunday?", "m2")
      assert.deepInclude(await second.next("line"), { line: 3, by: "agent", text: "From nine to five." })
      assert.deepInclude(await second.next("line"), { line: 4, by: "visitor", id: "m2" })
      assert.deepInclude(await second.next("line"), { line: 5, by: "agent", text: "On Sunday we are closed." })
      assert.deepStrictEqual(readBy(models), [
        `assistant: ${greeting}`,
        "user: When are you open?",
        "assistant: From nine to five.",
        "user: And on Sunday?",
      ])
      assert.strictEqual((await first.next("refused")).code, "replaced")
      assert.strictEqual(await first.closed, 1008)
      const call = await find(id)
      assert.strictEqual(call.status, "in_progress")
      assert.deepStrictEqual(wordsOf(call), [
        `agent: ${greeting}`,
        "caller: When are you open?",
        "agent: From nine to five.",
        "caller: And on Sunday?",
        "agent: On Sunday we are closed.",
      ])
      assert.deepStrictEqual(
        call.turns.map(({ turn }: { readonly turn: number }) => turn),
        [1, 2, 3],
      )
      assert.strictEqual(await slots(), 1)
      second.send({ type: "end" })
      assert.deepInclude(await stage.ended(id), { status: "completed", end_reason: "caller_hung_up" })
      assert.deepStrictEqual([await slots(), await stage.query("select * from live_chats")], [0, []])
    })

    test("goes on where it was, if the page comes back before that process has noticed", async (stage) => {
      const { begun, models, one, page, two } = stage
      models.begin([{ says: "Yes." }])
      const { resume } = await begun(one)
      const second = await page(two, { resume, after: 1 })
      await second.next("ready")
      const third = await page(one, { resume, after: 1 })
      await third.next("ready")
      third.write("Still there?", "m1")
      assert.deepInclude(await third.next("line"), { line: 2, id: "m1" })
      assert.deepInclude(await third.next("line"), { line: 3, text: "Yes." })
    })

    test("goes on, although the process before took the end of a page that it had lost already", async (stage) => {
      const { begun, models, one, page, two } = stage
      models.begin([{ says: "Yes." }])
      const { page: first, resume } = await begun(one)
      const second = await page(two, { resume, after: 1 })
      await second.next("ready")
      first.send({ type: "end" })
      await first.next("ended")
      const third = await page(one, { resume, after: 1 })
      await third.next("ready")
      third.write("Still there?", "m1")
      assert.deepInclude(await third.next("line"), { line: 2, id: "m1" })
      assert.deepInclude(await third.next("line"), { line: 3, text: "Yes." })
    })

    test("is conducted by one of them when two pages come at once to two processes", async (stage) => {
      const { all, begun, find, models, one, page, two } = stage
      models.begin([{ says: "Yes." }])
      const gone = await all.join()
      const { id, resume } = await begun(gone)
      gone.child.kill("SIGKILL")
      const pages = await Promise.all([one, two, one, two].map((at) => page(at, { resume, after: 1 })))
      const codes = new Map<Page, number>()
      for (const each of pages) void each.closed.then((code) => codes.set(each, code))
      await until(() => codes.size === pages.length - 1)
      const [last] = pages.filter((each) => !codes.has(each))
      last?.write("Who is there?", "m1")
      await last?.next("line")
      await last?.next("line")
      assert.deepStrictEqual(wordsOf(await find(id)), [`agent: ${greeting}`, "caller: Who is there?", "agent: Yes."])
      assert.deepStrictEqual([...codes.values()], [1008, 1008, 1008])
    })

    test("is opened by its secret alone, in its own account, with a key that is valid", async (stage) => {
      const { begun, models, one, owner, page, query, two } = stage
      models.begin([{ says: "Yes." }])
      const { id, page: first, resume } = await begun(one)
      const refused = async (visitor: Page) => {
        assert.deepStrictEqual(await visitor.next("ended"), { type: "ended", reason: "interrupted" })
        assert.strictEqual(visitor.heard.length, 1)
      }
      await refused(await page(two, { resume: `${resume.slice(0, -1)}${resume.endsWith("A") ? "B" : "A"}`, after: 0 }))
      await refused(await page(two, { resume: id, after: 0 }))
      const stranger = await speak(two.url).ownerOf(`s${crypto.randomUUID().slice(0, 8)}`, wide)
      const theirs = made(await stranger.post("/api/agents", { ...agent(), first_message: greeting }))
      await refused(await page(two, { resume, after: 0 }, await keyOf(stranger, theirs.id)))
      const kept = await query("select l::text as row from live_chats l")
      assert.strictEqual(kept.length, 1)
      assert.notInclude(JSON.stringify(kept), resume)
      // None of them has taken it.
      first.write("Still here?", "m1")
      assert.deepInclude(await first.next("line"), { line: 2, id: "m1" })
      const session = await sessionOf(speak(two.url), stage.key)
      for (const { id } of made(await owner.get("/api/v1/widget-keys")).items) {
        assert.strictEqual((await owner.delete(`/api/v1/widget-keys/${id}`)).status, 204)
      }
      const late = await visit(session, { hello: { resume, after: 0 } })
      assert.strictEqual((await late.next("refused")).code, "unauthenticated")
    })

    test("is given up at SIGTERM: the page is told to come again, and the process does not wait", async (stage) => {
      const { all, begun, find, models, page, two } = stage
      const gone = await all.join()
      models.begin([{ says: "From nine", stalls: true }])
      const { id, page: first, resume } = await begun(gone)
      first.write("When are you open?", "m1")
      await first.next("line")
      await until(() => models.asked.length === 1)
      models.begin([{ says: "From nine to five." }])
      gone.child.kill("SIGTERM")
      assert.strictEqual(await first.closed, 1012)
      assert.isFalse(first.heard.some(({ type }) => type === "ended" || type === "refused"))
      assert.strictEqual(await gone.ended, 0)
      const second = await page(two, { resume, after: 2 })
      assert.deepInclude(await second.next("ready"), { conversation: id, resumed: true })
      // What the visitor said last was not answered yet.
      assert.deepInclude(await second.next("line"), { line: 3, by: "agent", text: "From nine to five." })
      assert.deepStrictEqual(readBy(models), [`assistant: ${greeting}`, "user: When are you open?"])
      assert.strictEqual((await find(id)).status, "in_progress")
    })

    test("tells the model of a tool that a restart interrupted, because it may have taken effect", async (stage) => {
      const { agent_id, all, begun, models, owner, page, two } = stage
      const shop = await receiver()
      // It never answers. The process does not wait for it that long.
      shop.answer("/book", () => undefined)
      const tool = made(await owner.post("/api/tools", http({ url: shop.at("/book"), timeout_ms: 60_000 })))
      made(await owner.post(`/api/agents/${agent_id}/tools`, { tool_name: tool.name }))
      const gone = await all.join()
      models.begin([{ calls: [{ name: tool.name, args: {} }] }])
      const { page: first, resume } = await begun(gone)
      first.write("Please book Monday.", "m1")
      await first.next("line")
      await shop.until("/book", 1)
      models.begin([{ says: "Let me check whether that worked." }])
      gone.child.kill("SIGTERM")
      assert.strictEqual(await first.closed, 1012)
      const second = await page(two, { resume, after: 2 })
      await until(() => linesOf(second).at(-1)?.endsWith("agent: Let me check whether that worked."))
      assert.include(JSON.stringify(models.asked[0]?.body.messages), "whether it had taken effect is not known")
      shop.close()
    })

    test("loses at most the sentence in progress when its process is killed", async (stage) => {
      const { all, begun, find, models, page, two } = stage
      const gone = await all.join()
      models.begin([{ says: "We have Monday. We also have ", stalls: true }])
      const { id, page: first, resume } = await begun(gone)
      first.write("When can I come?", "m1")
      await first.next("line")
      await until(() => first.heard.some((message) => message.type === "piece" && message.text === "We have Monday."))
      gone.child.kill("SIGKILL")
      await first.closed
      models.begin([{ says: "We have Monday. We also have Friday." }])
      const second = await page(two, { resume, after: 2 })
      await second.next("ready")
      // It is unknown whether this had arrived before the kill.
      second.write("Or next week?", "m2")
      await until(() => linesOf(second).some((line) => line.endsWith("visitor: Or next week?")))
      await until(() => linesOf(second).at(-1)?.endsWith("agent: We have Monday. We also have Friday.") === true)
      const told = [...linesOf(first), ...linesOf(second)]
      assert.deepStrictEqual(told.slice(0, 2), [`1 agent: ${greeting}`, "2 visitor: When can I come?"])
      assert.strictEqual(told.filter((line) => line.endsWith("visitor: Or next week?")).length, 1)
      const said = wordsOf(await find(id))
      // What the page has is what the call has.
      assert.deepStrictEqual(
        told.map((line) => line.replace(/^\d+ /, "").replace("visitor", "caller")),
        said.slice(0, told.length),
      )
      assert.isTrue(said.some((line) => line.startsWith("agent: We have Monday.")))
    })

    test("loses no message that was sent at the moment of the kill, and takes none twice", async (stage) => {
      const { all, begun, find, models, page, two } = stage
      const gone = await all.join()
      models.begin([{ says: "Noted." }])
      const { id, page: first, resume } = await begun(gone)
      const texts = ["one", "two", "three"]
      for (const text of texts) first.write(text, `m-${text}`)
      await until(() => linesOf(first).length >= 2)
      gone.child.kill("SIGKILL")
      await first.closed
      const after = linesOf(first).length
      const second = await page(two, { resume, after })
      await second.next("ready")
      for (const text of texts) second.write(text, `m-${text}`)
      const saidBy = (by: string, lines: ReadonlyArray<string>) => lines.filter((line) => line.includes(` ${by}: `))
      const told = () => [...linesOf(first), ...linesOf(second)]
      await until(() => saidBy("visitor", told()).length === 3 && told().at(-1)?.endsWith("agent: Noted.") === true)
      assert.deepStrictEqual(
        told().map((line) => Number(line.split(" ")[0])),
        told().map((_, at) => at + 1),
      )
      const said = wordsOf(await find(id)).filter((line) => line.startsWith("caller"))
      assert.deepStrictEqual(said, ["caller: one", "caller: two", "caller: three"])
    })

    test("shows all of its lines, however many, to a page that has none of them", async (stage) => {
      const { all, begun, page, query, two } = stage
      const gone = await all.join()
      const { resume } = await begun(gone)
      gone.child.kill("SIGKILL")
      await query(`update calls set transcript = (
        select jsonb_agg(transcript -> 0 || jsonb_build_object('text', repeat('word ', 200) || at) order by at)
        from generate_series(1, 600) at)`)
      const seen: Array<string> = []
      while (seen.length < 600) {
        const next = await page(two, { resume, after: seen.length })
        const count = seen.length
        let isClosed = false
        void next.closed.then(() => (isClosed = true))
        await until(() => isClosed || count + linesOf(next).length === 600)
        seen.push(...linesOf(next))
        next.close()
      }
      assert.deepStrictEqual(
        seen.map((line) => [Number(line.split(" ")[0]), Number(line.split(" ").at(-1))]),
        seen.map((_, at) => [at + 1, at + 1]),
      )
    })

    test("has its limit from its beginning, whichever processes conduct it", async (stage) => {
      const { ended, one, owner, page, query, two } = stage
      const fields = { ...agent(), first_message: greeting, max_call_seconds: 10 }
      const key = await keyOf(owner, made(await owner.post("/api/agents", fields)).id)
      const first = await page(one, {}, key)
      const { conversation, resume } = await first.next("ready")
      await first.next("line")
      const late = "select from calls where clock_timestamp() - answered_at > interval '5 seconds'"
      await until(async () => (await query(late)).length === 1)
      const second = await page(two, { resume, after: 1 }, key)
      await second.next("ready")
      const call = await ended(conversation)
      assert.strictEqual(call.end_reason, "max_duration")
      assert.isBelow(Number(call.duration_seconds), 14)
    })

    test("ends after fifteen minutes without a message, whichever processes conducted it", async (stage) => {
      const { begun, ended, one, page, query, two } = stage
      const { id, resume } = await begun(one)
      await query(`update calls set transcript = jsonb_set(transcript, '{0,at}',
        to_jsonb(to_char((now() - interval '16 minutes') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`)
      const second = await page(two, { resume, after: 1 })
      assert.strictEqual((await second.next("ended")).reason, "silence")
      assert.strictEqual((await ended(id)).end_reason, "caller_hung_up")
    })

    test("waits for its page for a minute after its process is killed, and then ends once", async (stage) => {
      const { all, begun, find, page, query, slots, two } = stage
      const gone = await all.join()
      const { id, resume } = await begun(gone)
      gone.child.kill("SIGKILL")
      await until(async () => (await query("select from live_chats where waits_since is not null")).length === 1)
      assert.deepStrictEqual([(await find(id)).status, await slots()], ["in_progress", 1])
      await query("update live_chats set waits_since = waits_since - interval '55 seconds'")
      assert.strictEqual((await find(id)).status, "in_progress")
      await query("update live_chats set waits_since = waits_since - interval '5 seconds'")
      const call = await stage.ended(id)
      assert.deepInclude(call, { status: "completed", outcome: "answered", end_reason: "interrupted" })
      assert.deepStrictEqual(wordsOf(call), [`agent: ${greeting}`])
      assert.deepStrictEqual([await slots(), await query("select * from live_chats")], [0, []])
      const late = await page(two, { resume, after: 1 })
      assert.deepStrictEqual(await late.next("ended"), { type: "ended", reason: "interrupted" })
    })

    test("ends when its session begins another conversation, at whichever process", async (stage) => {
      const { ended, find, key, one, two } = stage
      const session = await sessionOf(speak(one.url), key)
      const first = await visit(session)
      const { conversation } = await first.next("ready")
      await first.next("line")
      const ws_url = session.ws_url.replace(new URL(one.url).host, new URL(two.url).host)
      const second = await visit({ ...session, ws_url })
      const other = await second.next("ready")
      assert.notStrictEqual(other.conversation, conversation)
      assert.strictEqual((await first.next("ended")).reason, "hung_up")
      assert.strictEqual((await ended(conversation)).end_reason, "hung_up")
      assert.strictEqual((await find(other.conversation)).ended_at, null)
    })

    test("can be hung up while it waits for its page", async (stage) => {
      const { all, begun, owner, query, slots } = stage
      const gone = await all.join()
      const { id } = await begun(gone)
      gone.child.kill("SIGKILL")
      await until(async () => (await query("select from live_chats where waits_since is not null")).length === 1)
      assert.isNotNull(made(await owner.post(`/api/v1/calls/${id}/hangup`)).ended_at)
      assert.strictEqual(await slots(), 0)
    })

    test("can be hung up before anyone has noticed that its process was killed", async (stage) => {
      const { all, begun, owner, page, slots, two } = stage
      const gone = await all.join()
      const { id, resume } = await begun(gone)
      gone.child.kill("SIGKILL")
      const hungUp = owner.post(`/api/v1/calls/${id}/hangup`)
      await until(
        async () => (await stage.query("select from live_chats where waits_since = '-infinity'")).length === 1,
      )
      const late = await page(two, { resume, after: 1 })
      assert.deepStrictEqual(await late.next("ended"), { type: "ended", reason: "interrupted" })
      assert.isNotNull(made(await hungUp).ended_at)
      assert.strictEqual(await slots(), 0)
    })

    test("can be hung up at the process that does not know yet that it has moved", async (stage) => {
      const { begun, one, owner, page, slots, two } = stage
      const { id, resume } = await begun(two)
      const second = await page(one, { resume, after: 1 })
      await second.next("ready")
      const call = made(await owner.post(`/api/v1/calls/${id}/hangup`))
      assert.strictEqual(call.end_reason, "hung_up")
      assert.strictEqual((await second.next("ended")).reason, "hung_up")
      assert.strictEqual(await slots(), 0)
    })
  },
)
