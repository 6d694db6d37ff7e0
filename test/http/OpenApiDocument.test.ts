import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventType } from "../../src/domain/Event.ts"
import { launch, missing } from "../support/Chromium.ts"
import { type Document, operationsOf } from "../support/OpenApi.ts"
import { TestServer } from "../support/TestServer.ts"

interface Whole extends Document {
  readonly info: { readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly webhooks: Readonly<Record<string, unknown>>
}

/** The form of a campaign. */
interface Form {
  readonly encoding: Readonly<Record<string, unknown>>
  readonly schema: { readonly properties: object }
}

const options = { timeout: "120 seconds", excludeTestServices: true } as const

it.layer(TestServer.layer, options)("the OpenAPI document", (it) => {
  const test = (name: string, body: (document: Whole, server: TestServer["Service"]) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => body((await server.request("GET", "/openapi.json")).body as Whole, server)),
      ),
    )

  test("names the account and the administrator by security schemes, once", async (document) => {
    const operations = operationsOf(document)
    const headers = operations.flatMap(({ parameters }) => parameters.filter((one) => one.in === "header"))
    assert.deepStrictEqual([...new Set(headers.map(({ name }) => name))].toSorted(), [
      "Idempotency-Key",
      "if-match",
      "last-event-id",
    ])
    const securityOf = (path: string, method: string) => document.paths[path]?.[method]?.security
    assert.deepStrictEqual(securityOf("/api/tools", "get"), [{ bearer: [], account: [] }])
    assert.deepStrictEqual(securityOf("/api/admin/accounts", "get"), [{ bearer: [], admin: [] }])
    assert.deepStrictEqual(securityOf("/api/user/org", "get"), [{ bearer: [] }])
    assert.deepStrictEqual(securityOf("/api/v1/widget/auth/token", "post"), [{ widgetSecretKey: [] }])
    for (const { security = [] } of operations) {
      for (const name of security.flatMap((one) => Object.keys(one))) {
        assert.property(document.components["securitySchemes" as never], name)
      }
    }
  })

  test("offers an Idempotency-Key only where it is honoured", async (document) => {
    const offers = (path: string) =>
      document.paths[path]?.["post"]?.parameters.some(({ name }) => name === "Idempotency-Key")
    assert.deepStrictEqual(["/api/tools", "/api/v1/campaigns", "/api/v1/calls/{id}/hangup"].map(offers), [
      true,
      true,
      true,
    ])
    // They run again for the same key: what a tool does may well be done twice.
    assert.deepStrictEqual(["/api/tools/{id}/invoke", "/api/v1/campaigns/{id}/preflight"].map(offers), [false, false])
  })

  test("has each tag once, and every tag that an operation has", async (document) => {
    const names = document.tags.map(({ name }) => name)
    assert.deepStrictEqual(names, [...new Set(names)])
    const used = operationsOf(document).flatMap((operation) => (operation as unknown as { tags: Array<string> }).tags)
    assert.deepStrictEqual([...new Set(used)].toSorted(), names.toSorted())
  })

  test("describes every parameter", async (document) => {
    const bare = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { parameters = [] }]) =>
        parameters
          .filter(({ description }) => description === undefined)
          .map(({ name }) => `${method} ${path} ${name}`),
      ),
    )
    assert.deepStrictEqual(bare, [])
  })

  test("has no null in a form, and says what is JSON in it", async (document) => {
    const form = document.paths["/api/v1/campaigns"]?.post?.requestBody?.content["multipart/form-data"] as Form
    assert.notInclude(JSON.stringify(form), '"null"')
    assert.deepStrictEqual(form.encoding, {
      calling_window: { contentType: "application/json" },
      contacts: { contentType: "text/csv" },
    })
    for (const name of Object.keys(form.encoding)) assert.property(form.schema.properties, name)
  })

  test("has the request of every event, the snapshot of a stream, and the paths of operators", async (document) => {
    assert.deepStrictEqual(Object.keys(document.webhooks), [...EventType.literals])
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)]
    assert.deepStrictEqual(
      references.map(([, name]) => name ?? "").filter((name) => !(name in document.components.schemas)),
      [],
    )
    assert.property(document.components.schemas.CampaignSnapshot, "properties")
    for (const path of ["/healthz", "/readyz", "/metrics"]) assert.property(document.paths, path)
  })

  test("begins with what a client has to know, and every code", async ({ info: { description } }) => {
    for (const heading of ["Authentication", "Pages", "Idempotency", "Rate limits", "Errors"]) {
      assert.include(description, `## ${heading}`)
    }
    for (const code of ["invalid_request", "name_taken", "budget_exceeded", "daily_cap", "route_not_found"]) {
      assert.include(description, `\`${code}\``)
    }
  })

  it.effect.skipIf(missing !== undefined)(
    "its page asks no other host for anything, and runs under a strict policy",
    () =>
      Effect.flatMap(TestServer, ({ url }) =>
        Effect.promise(async () => {
          const browser = await launch()
          try {
            const page = await browser.newPage()
            const [foreign, said]: [Array<string>, Array<string>] = [[], []]
            page.on("request", (request) => {
              if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(url)) foreign.push(request.url())
            })
            page.on("console", (message) => {
              if (message.type() === "error") said.push(message.text())
            })
            const answer = await page.goto(`${url}/docs`)
            const policy = (await answer?.allHeaders())?.["content-security-policy"] ?? ""
            assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+';/)
            await page.getByRole("heading", { name: "Idempotency" }).first().waitFor({ timeout: 120_000 })
            assert.deepStrictEqual([foreign, said], [[], []])
          } finally {
            await browser.close()
          }
        }),
      ),
    180_000,
  )
})
