/** Agents. */
import { assert } from "@effect/vitest"
import { agent, catalog, faq, fresh, made, number, playbook, python, refused } from "../support/Catalog.ts"

catalog((test) => {
  test("agent: defaults", async (owner) => {
    const {
      created_at: _,
      id: __,
      name: ___,
      updated_at: ____,
      ...rest
    } = await made(owner.post("/api/agents", agent()))
    assert.deepStrictEqual(rest, {
      description: "",
      system_prompt: "Hello {{first_name}}",
      first_message: "",
      language: "en",
      voice: { provider: "lab", id: "default", speed: 1 },
      model: { provider: "scripted", id: "scripted" },
      temperature: 0.3,
      max_call_seconds: 600,
      silence_timeout_seconds: 10,
      interruptible: true,
      voicemail_action: "hang_up",
      recording: false,
      recording_notice: "",
      disclosure: "",
      opt_out_key: null,
      outcome_schema: null,
      dispositions: [],
      is_default: false,
      version: 1,
    })
  })

  test("agent: name and system_prompt are required, and every field has its bounds", async (owner) => {
    await refused(owner.post("/api/agents", { name: fresh("a") }), 400, "invalid_request", "/system_prompt")
    await refused(owner.post("/api/agents", { system_prompt: "x" }), 400, "invalid_request", "/name")
    for (const [field, values] of Object.entries({
      temperature: [-0.1, 2.1, "hot"],
      max_call_seconds: [9, 14_401, 10.5],
      silence_timeout_seconds: [1, 121],
      voicemail_action: ["sing"],
      language: ["English", "e", ""],
      interruptible: ["yes"],
      recording: [1],
      recording_notice: ["x".repeat(1_001), null],
      disclosure: ["x".repeat(2_001), null, "{{ a"],
      opt_out_key: ["", "10", "A", 9],
      name: ["", " a", "a\nb"],
      system_prompt: [""],
    })) {
      for (const value of values) {
        await refused(owner.post("/api/agents", { ...agent(), [field]: value }), 400, "invalid_request", `/${field}`)
      }
    }
    const speed = { ...agent(), voice: { speed: 9 } }
    await refused(owner.post("/api/agents", speed), 400, "invalid_request", "/voice/speed")
  })

  test("agent: prompts are Liquid templates that must parse", async (owner) => {
    const good = 'Hi {{ first_name | default: "there" }}, it is {{ now | date: "%H:%M" }} in {{ campaign.name }}.'
    await made(owner.post("/api/agents", { ...agent(), system_prompt: good, first_message: good }))
    for (const text of ["{{ a", "{% if a %}", "{{ a | shout }}", "{% include 'secrets' %}"]) {
      for (const field of ["system_prompt", "first_message"]) {
        await refused(owner.post("/api/agents", { ...agent(), [field]: text }), 400, "invalid_request", `/${field}`)
      }
      await refused(owner.post("/api/playbooks", { ...playbook(), prompt: text }), 400, "invalid_request", "/prompt")
    }
  })

  test("agent: a part of voice or model that is left out keeps its value", async (owner) => {
    const { id } = await made(owner.post("/api/agents", { ...agent(), voice: { id: "amber" } }))
    const { body } = await owner.put(`/api/agents/${id}`, { voice: { speed: 1.2 }, model: { id: "small" } })
    assert.deepStrictEqual(body.voice, { provider: "lab", id: "amber", speed: 1.2 })
    assert.deepStrictEqual(body.model, { provider: "scripted", id: "small" })
  })

  test("agent: outcome_schema is a JSON Schema of an object, or null", async (owner) => {
    const outcome_schema = { type: "object", properties: { accepted: { type: "boolean" } } }
    const { body } = await owner.post("/api/agents", { ...agent(), outcome_schema })
    assert.deepStrictEqual(body.outcome_schema, outcome_schema)
    assert.isNull((await owner.put(`/api/agents/${body.id}`, { outcome_schema: null })).body.outcome_schema)
    const wrong = { ...agent(), outcome_schema: { type: "string" } }
    await refused(owner.post("/api/agents", wrong), 400, "invalid_request", "/outcome_schema/type")
  })

  test("agent: deleting takes its enablements and attachments along", async (owner) => {
    const tool = await made(owner.post("/api/tools", python()))
    const book = await made(owner.post("/api/playbooks", playbook()))
    const entry = await made(owner.post("/api/faqs", faq()))
    const { id } = await made(owner.post("/api/agents", agent()))
    await made(owner.post(`/api/agents/${id}/tools`, { tool_name: tool.name }))
    await made(owner.post(`/api/agents/${id}/playbooks`, { playbook_id: book.id }))
    await made(owner.post(`/api/agents/${id}/faqs`, { faq_id: entry.id }))
    assert.strictEqual((await owner.delete(`/api/agents/${id}`)).status, 204)
    for (const path of [`/api/tools/${tool.id}`, `/api/playbooks/${book.id}`, `/api/faqs/${entry.id}`]) {
      assert.strictEqual((await owner.delete(path)).status, 204)
    }
  })

  test("agent: one that a number's inbound_agent_id names cannot be deleted", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const phone = await made(owner.post("/api/phone-numbers", { ...number(), inbound_agent_id: id }))
    await refused(owner.delete(`/api/agents/${id}`), 409, "in_use")
    const freed = await owner.put(`/api/phone-numbers/${phone.id}`, { inbound_agent_id: null })
    assert.isNull(freed.body.inbound_agent_id)
    assert.strictEqual((await owner.delete(`/api/agents/${id}`)).status, 204)
  })

  test("agent: one that a widget key speaks through cannot be deleted", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const key = { name: "Site", kind: "public", agent_id: id, origins: ["https://example.com"] }
    const widget = await made(owner.post("/api/v1/widget-keys", key))
    await refused(owner.delete(`/api/agents/${id}`), 409, "in_use")
    assert.strictEqual((await owner.delete(`/api/v1/widget-keys/${widget.id}`)).status, 204)
    assert.strictEqual((await owner.delete(`/api/agents/${id}`)).status, 204)
  })
})
