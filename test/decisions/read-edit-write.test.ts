import { assert, it } from "@effect/vitest"
import { everything, made } from "../support/Fixtures.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("updates (decisions §2)", (it) => {
  const places = async (server: TestServer["Service"], account: string) => {
    const owner = await server.ownerOf(account)
    const all = await everything(owner, account)
    const http = made(
      await owner.post("/api/tools", {
        name: "crm",
        description: "Looks a customer up",
        implementation_type: "http",
        implementation_config: {
          url: "https://crm.example.com/lookup",
          authentication: { type: "bearer", token: "secret-token" },
        },
      }),
    )
    return {
      owner,
      all,
      paths: [
        `/api/tools/${all.tool.id}`,
        `/api/tools/${http.id}`,
        "/api/tools/end_call",
        `/api/playbooks/${all.playbook.id}`,
        `/api/faqs/${all.faq.id}`,
        `/api/agents/${all.agent.id}`,
        `/api/phone-numbers/${all.number.id}`,
        `/api/v1/campaigns/${all.campaign.id}`,
      ],
    }
  }

  /** Fields that every write changes. */
  const settled = ({ modified_from_default: _, updated_at: __, ...rest }: Record<string, unknown>) => rest

  it.effect("a client reads, edits nothing and writes: known fields that it cannot set are ignored", () =>
    onServer(async (server) => {
      const { owner, paths } = await places(server, "roundtrip")
      for (const path of paths) {
        const read = await owner.get(path)
        const written = await owner.put(path, read.body, { headers: { "if-match": read.headers.get("etag") ?? "" } })
        assert.strictEqual(written.status, 200, `${path}: ${JSON.stringify(written.body)}`)
        assert.deepStrictEqual(settled(written.body), settled(read.body), path)
        const forged = { ...read.body, created_at: "1999-01-01T00:00:00.000Z", id: "forged", is_default: true }
        const ignored = await owner.put(
          path,
          Object.fromEntries(Object.entries(forged).filter(([key]) => key in read.body)),
        )
        assert.deepStrictEqual(settled(ignored.body), settled(read.body), path)
      }
    }),
  )

  it.effect("an empty update changes nothing; an unknown field is a 400 with its pointer", () =>
    onServer(async (server) => {
      const { owner, paths } = await places(server, "partial")
      for (const path of paths) {
        const before = (await owner.get(path)).body
        const empty = await owner.put(path, {})
        assert.deepStrictEqual(settled(empty.body), settled(before), path)
        const unknown = await owner.put(path, { nmae: "x" })
        assert.deepStrictEqual([unknown.status, unknown.body.errors?.[0]?.pointer], [400, "/nmae"], path)
      }
    }),
  )

  it.effect("what a read gave can be posted as a new one: read-only fields are ignored on creates too", () =>
    onServer(async (server) => {
      const { all, owner } = await places(server, "copies")
      const copies = [
        ["/api/tools", { ...all.tool, name: "copy_of_it" }],
        ["/api/playbooks", { ...all.playbook, name: "copy" }],
        ["/api/faqs", { ...all.faq, name: "copy" }],
        ["/api/agents", { ...all.agent, name: "copy" }],
        ["/api/phone-numbers", { ...all.number, number: "+14155550111" }],
      ] as const
      for (const [path, body] of copies) {
        const copy = await owner.post(path, body)
        assert.strictEqual(copy.status, 201, `${path}: ${JSON.stringify(copy.body)}`)
        assert.notStrictEqual(copy.body.id, (body as Record<string, unknown>).id)
      }
    }),
  )

  it.effect("two changes of one resource by its ETag at once: exactly one is made", () =>
    onServer(async (server) => {
      const { owner, paths } = await places(server, "races")
      for (const path of paths) {
        const headers = { "if-match": (await owner.get(path)).headers.get("etag") ?? "" }
        const change = (n: number) => (path.includes("campaigns") ? { retry_delay_seconds: n } : {})
        const answers = await Promise.all([1, 2].map((n) => owner.put(path, change(n), { headers })))
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 412], path)
      }
    }),
  )
})
