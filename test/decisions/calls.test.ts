/** Calls over HTTP: placing, lists, and trying things out without one (decisions §1, §2). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Caller, caller, wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const unknownId = "00000000-0000-4000-8000-000000000000"

it.layer(TestServer.layerWith(), { timeout: "120 seconds", excludeTestServices: true })(
  "calls (decisions §2, Call)",
  (it) => {
    const test = (name: string, body: (lab: Caller, owner: Client, server: TestServer["Service"]) => Promise<void>) =>
      it.effect(name, () =>
        Effect.flatMap(TestServer, (server) =>
          Effect.promise(async () => {
            const owner = await server.ownerOf("calls", wide)
            await body(await caller(owner), owner, server)
          }),
        ),
      )

    test("a placed call is a 201 with Location, and ends with everything that was said and done on it", async (lab, owner) => {
      const placed = await lab.call("+14155551021", { first_name: "Ada" })
      assert.strictEqual(placed.status, 201, JSON.stringify(placed.body))
      assert.strictEqual(placed.headers.get("location"), `/api/v1/calls/${placed.body.id}`)
      assert.strictEqual(placed.body.status, "queued")
      assert.strictEqual(placed.body.ended_at, null)
      const call = await lab.ended(placed.body.id!)
      const { cost, transcript, turns } = call
      assert.include(
        { ...call },
        {
          direction: "outbound",
          status: "completed",
          outcome: "answered",
          agent_id: lab.agent.id,
          agent_name: lab.agent.name,
          campaign_id: null,
          contact_id: null,
          phone_number_id: lab.number.id,
          to: "+14155551021",
          from: lab.number.number,
          recording: null,
        },
      )
      assert.strictEqual(transcript[1]!.text, "Hello Ada, this is Rosa.")
      const seconds = (Date.parse(call.ended_at!) - Date.parse(call.answered_at!)) / 1_000
      assert.closeTo(call.duration_seconds!, seconds, 0.002)
      assert.strictEqual(cost.currency, "USD")
      assert.strictEqual(cost.amount, cost.parts.telephony! + cost.parts.brain!)
      assert.isAtLeast(cost.amount, 0.014)
      assert.isTrue(transcript.every((entry) => entry.ended_ms >= entry.started_ms))
      for (const [at, turn] of turns.entries()) {
        assert.strictEqual(turn.turn, at + 1)
        if (turn.started_by !== "caller") continue
        assert.isAtLeast(turn.first_word_ms!, turn.caller_ended_ms!)
        assert.strictEqual(turn.response_ms, turn.first_word_ms! - turn.caller_ended_ms!)
        assert.isAtLeast(turn.brain_ms, turn.tools_ms)
      }
      for (const invocation of call.tool_invocations) {
        assert.isTrue("result" in invocation !== "error" in invocation)
        const entry = transcript.find(({ tool_invocation_id }) => tool_invocation_id === invocation.id)
        assert.strictEqual(entry?.tool_name, invocation.tool_name)
      }
      const etag = (await owner.get(`/api/v1/calls/${call.id}`)).headers.get("etag")
      assert.isNotNull(etag)
    })

    test("ids that name nothing are a 404 with a pointer, those that are none and bad numbers a 400", async (lab, owner) => {
      const call = { agent_id: lab.agent.id, phone_number_id: lab.number.id, to: "+14155551022" }
      const place = (change: object) => owner.post("/api/v1/calls", { ...call, ...change })
      refused(await place({ agent_id: unknownId }), 404, "reference_not_found", "/agent_id")
      refused(await place({ phone_number_id: unknownId }), 404, "reference_not_found", "/phone_number_id")
      refused(await place({ agent_id: "Rosa" }), 400, "invalid_request", "/agent_id")
      refused(await place({ to: "4155551022" }), 400, "invalid_request", "/to")
      refused(await place({ to: "=+14155551022" }), 400, "invalid_request", "/to")
      refused(await place({ to: lab.number.number }), 400, "invalid_request", "/to")
      refused(await place({ variables: ["a"] }), 400, "invalid_request", "/variables")
      refused(await place({ colour: "red" }), 400, "invalid_request", "/colour")
      refused(await owner.post("/api/v1/calls", {}), 400, "invalid_request", "/to")
    })

    test("a call that was read may be sent back: what a client cannot set is ignored", async (lab, owner) => {
      const call = await lab.through("+14155551060")
      const again = await owner.post("/api/v1/calls", { ...call, variables: {} })
      assert.strictEqual(again.status, 201, JSON.stringify(again.body))
      assert.notStrictEqual(again.body.id, call.id)
      await lab.ended(again.body.id!)
    })

    test("a number on the do-not-call list is a 409 do_not_call", async (lab, owner) => {
      made(await owner.post("/api/v1/suppressions", { phone_number: "+14155551023" }))
      refused(await lab.call("+14155551023"), 409, "do_not_call")
    })

    test("a carrier that this build cannot speak to is a 409", async (lab, owner) => {
      const number = made(await owner.post("/api/phone-numbers", { number: "+14155559999", carrier: "twilio" }))
      const { body, status } = await owner.post("/api/v1/calls", {
        agent_id: lab.agent.id,
        phone_number_id: number.id,
        to: "+14155551024",
      })
      assert.strictEqual(status, 409)
      assert.include(body, { code: "invalid_state", state: "twilio" })
    })

    test("a call says who answered, and which words of the transcript show it", async (lab) => {
      const [person, machine] = [await lab.through("+14155551001"), await lab.through("+14155551080")]
      for (const [{ answered_by, transcript }, verdict] of [
        [person, "person"],
        [machine, "voicemail"],
      ] as const) {
        assert.strictEqual(answered_by?.verdict, verdict)
        const [sign] = answered_by!.evidence
        const { started_ms } = transcript.find(({ role }) => role === "caller")!
        assert.deepInclude(sign, { kind: "words", started_ms })
      }
      assert.strictEqual(machine.outcome, "voicemail")
    })

    test("a call says when its disclosure was heard, and how the person asked not to be called again", async (lab, owner) => {
      const { agent } = await caller(owner)
      const disclosure = "This is an automated call for {{first_name}} from Trattoria Roma."
      const changed = made(await owner.put(`/api/agents/${agent.id}`, { disclosure, opt_out_key: "9" }))
      assert.deepInclude(changed, { disclosure, opt_out_key: "9" })
      const place = async (to: string) => {
        const asked = { agent_id: agent.id, phone_number_id: lab.number.id, to, variables: { first_name: "Ada" } }
        return lab.ended(made(await owner.post("/api/v1/calls", asked)).id)
      }
      const [call, machine] = [await place("+14155551099"), await place("+14155551081")]
      const opening = call.transcript.find(({ role }) => role === "agent")!
      // The lab's line reports no keys, so none is named.
      assert.strictEqual(opening.text, "This is an automated call for Ada from Trattoria Roma.")
      assert.strictEqual(call.disclosure?.heard_ratio, 1)
      assert.strictEqual(call.disclosure?.heard_ms, opening.ended_ms)
      assert.isAtLeast(Date.parse(call.disclosure!.heard_at!), Date.parse(call.answered_at!))
      assert.strictEqual(call.end_reason, "opted_out")
      assert.strictEqual(call.opt_out?.by, "words")
      assert.isAtLeast(call.opt_out!.at_ms, call.disclosure!.heard_ms!)
      assert.deepStrictEqual(machine.disclosure, { heard_at: null, heard_ms: null, heard_ratio: 0 })
      assert.isNull(machine.opt_out)
      const { items } = made(await owner.get("/api/v1/events?type=call.opted_out"))
      const told = items.flatMap(({ data }) => (data.id === call.id ? [data as typeof call] : []))
      assert.deepStrictEqual(
        told.map(({ opt_out, to }) => [to, opt_out]),
        [[call.to, call.opt_out]],
      )
      assert.isFalse(items.some(({ data }) => data.id === machine.id))
    })

    test("a call without sound has no recording", async (lab, owner) => {
      const call = await lab.through("+14155551061")
      refused(await owner.get(`/api/v1/calls/${call.id}/recording`), 404, "not_found")
      refused(await owner.get(`/api/v1/calls/${unknownId}/recording`), 404, "not_found")
    })

    test("the list is newest first, filters, and leaves out what was said", async (lab, owner) => {
      const calls = []
      for (const digits of ["70", "60", "85"]) calls.push(await lab.through(`+141555512${digits}`))
      const mine = `agent_id=${lab.agent.id}`
      const list = async (query: string) => made(await owner.get(`/api/v1/calls?${mine}&${query}`))
      const ids = (page: Awaited<ReturnType<typeof list>>) => page.items.map(({ id }) => id)
      const [busy, short, declined] = calls.map((call) => call.id)
      const all = await list("")
      assert.deepStrictEqual(ids(all), [declined, short, busy])
      assert.include(all, { page: 0, page_size: 50, total: 3 })
      assert.notProperty(all.items[0], "transcript")
      const { answered_by, disclosure, first_word_ms, opt_out, recording_pauses, recording_state, sound, ...others } =
        calls[2]!
      const { extraction, listeners, notes, result_fields, takeovers, transfer_of, transfers, ...shown } = others
      assert.deepStrictEqual([listeners, takeovers, transfer_of, transfers], [[], [], null, []])
      assert.deepStrictEqual([extraction, notes, result_fields], [null, [], []])
      assert.deepStrictEqual([answered_by, first_word_ms, sound], [null, null, null])
      assert.deepStrictEqual([disclosure, opt_out], [null, null])
      assert.deepStrictEqual([recording_state, recording_pauses], [null, []])
      const { tool_invocations: _tools, transcript: _words, turns: _turns, ...summary } = shown
      assert.deepStrictEqual(all.items[0], summary)
      assert.deepStrictEqual(ids(await list("status=completed")), [short])
      assert.deepStrictEqual(ids(await list("direction=inbound")), [])
      assert.deepStrictEqual(ids(await list("outcome=busy")), [busy])
      assert.deepStrictEqual(ids(await list(`campaign_id=${unknownId}`)), [])
      assert.deepStrictEqual(ids(await list("page=1&page_size=2")), [busy])
      // Half-open: the beginning belongs to it, the end does not.
      const at = encodeURIComponent(calls[1]!.started_at)
      assert.deepStrictEqual(ids(await list(`to=${at}`)), [busy])
      assert.include(ids(await list(`from=${at}`)), declined)
      assert.notInclude(ids(await list(`from=${at}`)), busy)
    })

    test("filters that cannot be are a 400", async (_, owner) => {
      for (const query of [
        "from=yesterday",
        "to=2026-11-21",
        "status=dead",
        "direction=up",
        "outcome=good",
        "agent_id=Rosa",
        "page=-1",
      ]) {
        const name = query.split("=")[0]
        refused(await owner.get(`/api/v1/calls?${query}`), 400, "invalid_request", `/query/${name}`)
      }
    })

    test("an Idempotency-Key places one call, whatever the number of requests", async (lab, owner) => {
      const body = { agent_id: lab.agent.id, phone_number_id: lab.number.id, to: "+14155551260" }
      const headers = { "idempotency-key": crypto.randomUUID() }
      const first = await owner.post("/api/v1/calls", body, { headers })
      assert.strictEqual(first.status, 201, JSON.stringify(first.body))
      const call = await lab.ended(first.body.id!)
      const second = await owner.post("/api/v1/calls", body, { headers })
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(second.body.id, call.id)
      assert.strictEqual(made(await owner.get(`/api/v1/calls?agent_id=${lab.agent.id}`)).total, 1)
    })

    test("placing needs the scope dial, and nothing else does", async (lab, owner, server) => {
      const key = async (...scopes: ReadonlyArray<string>) => {
        const { key } = made(await owner.post("/api/v1/api-keys", { name: scopes.join(" "), scopes }))
        return { token: key, account: "calls" }
      }
      const body = { agent_id: lab.agent.id, phone_number_id: lab.number.id, to: "+14155551261" }
      const writer = await server.request("POST", "/api/v1/calls", { ...(await key("read", "write")), body })
      refused(writer, 403, "missing_scope")
      const dialler = await server.request("POST", "/api/v1/calls", { ...(await key("dial")), body })
      assert.strictEqual(dialler.status, 201, JSON.stringify(dialler.body))
      await lab.ended(dialler.body.id!)
    })

    test("another account sees nothing of a call", async (lab, _, server) => {
      const call = await lab.through("+14155551262")
      const stranger = await server.ownerOf("calls-stranger", wide)
      refused(await stranger.get(`/api/v1/calls/${call.id}`), 404, "not_found")
      refused(await stranger.post(`/api/v1/calls/${call.id}/hangup`), 404, "not_found")
      assert.strictEqual(made(await stranger.get("/api/v1/calls")).total, 0)
    })

    test("leaving a message on a voicemail says the first message after the beep", async (_, owner) => {
      const lab = await caller(owner, { voicemail_action: "leave_message" })
      const call = await lab.through("+14155551280")
      assert.include(call, { status: "completed", outcome: "voicemail", end_reason: "voicemail" })
      const last = call.transcript.at(-1)
      assert.include(last, { role: "agent", text: "Hello there, this is Rosa." })
      assert.notProperty(last, "interrupted")
    })

    test("a tool is invoked as an agent would: bad arguments are a 400, its own failure a 200", async (lab, owner) => {
      const invoke = (tool: string, body: object) => owner.post(`/api/tools/${tool}/invoke`, body)
      const time = made(await invoke("get_current_time", { arguments: { time_zone: "Europe/Berlin" } }))
      assert.propertyVal(time.result, "time_zone", "Europe/Berlin")
      assert.deepStrictEqual(time.logs, [])
      assert.isNumber(time.duration_ms)
      refused(await invoke("lookup_faq", { arguments: {} }), 400, "invalid_request", "/arguments/question")
      refused(await invoke("get_current_time", { colour: "red" }), 400, "invalid_request", "/colour")
      refused(await invoke("no_such_tool", {}), 404, "not_found")
      const failed = await invoke("get_current_time", { arguments: { time_zone: "Mars/Base" } })
      assert.strictEqual(failed.status, 200)
      assert.strictEqual(failed.body.error!.code, "unknown_time_zone")
      assert.notProperty(failed.body, "result")
      const context = { agent_id: lab.agent.id }
      const faq = made(await invoke("lookup_faq", { arguments: { question: "When do you open?" }, context }))
      assert.nestedPropertyVal(faq.result, "answers[0].answer", "We are open from nine to five.")
    })

    test("add_to_do_not_call without a call needs context.phone_number, and then does it", async (lab, owner) => {
      const invoke = (context: object) => owner.post("/api/tools/add_to_do_not_call/invoke", { arguments: {}, context })
      assert.strictEqual((await invoke({})).body.error?.code, "no_phone_number")
      assert.propertyVal((await invoke({ phone_number: "+14155551263" })).body.result, "status", "added")
      refused(await lab.call("+14155551263"), 409, "do_not_call")
    })

    test("a preview is one stateless turn, with real tools and no call", async (lab, owner) => {
      const preview = (body: object) => owner.post(`/api/agents/${lab.agent.id}/preview`, body)
      const greeting = made(await preview({ variables: { first_name: "Ada" } }))
      assert.strictEqual(greeting.reply, "Hello Ada, this is Rosa.")
      assert.include(greeting.prompt, "You are Rosa.")
      const messages = [
        { role: "assistant", content: "Hello Ada, this is Rosa." },
        { role: "user", content: "What are your opening hours?" },
      ]
      const answer = made(await preview({ messages }))
      assert.include(answer.reply, "We are open from nine to five.")
      assert.strictEqual(answer.tool_invocations[0]!.tool_name, "lookup_faq")
      const [, ...documented] = messages
      assert.strictEqual(made(await preview({ messages: documented })).reply, answer.reply)
      const said = made(await preview({ messages: [{ role: "user", content: "Hello" }] })).reply
      assert.notInclude(said, "this is Rosa")
      const optOut = [{ role: "user", content: "Never call me again." }]
      const left = made(await preview({ messages: optOut, variables: { phone_number: "+14155551264" } }))
      assert.include(left.reply, "Goodbye")
      assert.strictEqual((await lab.call("+14155551264")).status, 201)
      refused(
        await preview({ messages: [{ role: "robot", content: "x" }] }),
        400,
        "invalid_request",
        "/messages/0/role",
      )
      refused(await owner.post("/api/agents/nobody/preview", {}), 404, "not_found")
    })
  },
)
