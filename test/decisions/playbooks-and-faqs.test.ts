/** Playbooks and FAQs: attaching them to agents. */
import { assert } from "@effect/vitest"
import { agent, catalog, faq, made, playbook, refused } from "../support/Catalog.ts"

catalog((test) => {
  test("playbook: attach answers 201, again 200, with position and the tools that are missing", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const book = await made(owner.post("/api/playbooks", { ...playbook(), tool_names: ["end_call", "not_there_yet"] }))
    const path = `/api/agents/${id}/playbooks` as const
    const first = await owner.post(path, { playbook_id: book.id })
    assert.strictEqual(first.status, 201)
    assert.deepStrictEqual(first.body, {
      playbook_id: book.id,
      name: book.name,
      position: 0,
      missing_tools: ["end_call", "not_there_yet"],
    })
    await made(owner.post(`/api/agents/${id}/tools`, { tool_name: "end_call" }))
    const again = await owner.post(path, { playbook_id: book.name })
    assert.strictEqual(again.status, 200)
    assert.deepStrictEqual(again.body, { ...first.body, missing_tools: ["not_there_yet"] })
    await owner.post(`/api/agents/${id}/tools`, { tool_name: "end_call", enabled: false })
    assert.deepStrictEqual((await owner.post(path, { playbook_id: book.id })).body, first.body)
  })

  test("playbook: attachments keep their order, and position moves one", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const path = `/api/agents/${id}/playbooks` as const
    const books = []
    for (let count = 0; count < 3; count++) {
      const book = await made(owner.post("/api/playbooks", playbook()))
      books.push(book.name)
      assert.strictEqual((await made(owner.post(path, { playbook_id: book.id }))).position, count)
    }
    const order = async () => (await owner.get(path)).body.items!.map((item) => item.name)
    assert.deepStrictEqual(await order(), books)
    await owner.post(path, { playbook_id: books[0], position: 7 })
    assert.deepStrictEqual(await order(), [books[1], books[2], books[0]])
    assert.strictEqual((await owner.delete(`${path}/${books[1]}`)).status, 204)
    assert.deepStrictEqual(await order(), [books[2], books[0]])
    await refused(owner.post(path, { playbook_id: books[1], position: -1 }), 400, "invalid_request", "/position")
  })

  test("FAQ: attach answers 201, again 200, with {faq_id, name}", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const { id: faq_id, name } = await made(owner.post("/api/faqs", faq()))
    const path = `/api/agents/${id}/faqs` as const
    for (const [key, status] of [
      [name, 201],
      [faq_id, 200],
    ] as const) {
      const answer = await owner.post(path, { faq_id: key })
      assert.deepStrictEqual([answer.status, answer.body], [status, { faq_id, name }])
    }
    assert.deepStrictEqual((await owner.get(path)).body.items, [{ faq_id, name }])
    await refused(owner.delete(`/api/faqs/${faq_id}`), 409, "in_use")
    assert.strictEqual((await owner.delete(`${path}/${name}`)).status, 204)
    await refused(owner.delete(`${path}/${name}`), 404, "not_found")
    assert.strictEqual((await owner.delete(`/api/faqs/${faq_id}`)).status, 204)
  })

  test("a playbook that an agent has attached cannot be deleted", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const book = await made(owner.post("/api/playbooks", playbook()))
    await made(owner.post(`/api/agents/${id}/playbooks`, { playbook_id: book.id }))
    await refused(owner.delete(`/api/playbooks/${book.id}`), 409, "in_use")
    assert.strictEqual((await owner.delete(`/api/agents/${id}/playbooks/${book.id}`)).status, 204)
    assert.strictEqual((await owner.delete(`/api/playbooks/${book.id}`)).status, 204)
  })
})
