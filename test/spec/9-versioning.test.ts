import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Document, operationsOf } from "../support/OpenApi.ts"
import { TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("versioning (spec §9)", (it) => {
  const paths = Effect.gen(function* () {
    const { request } = yield* TestServer
    const { body } = yield* Effect.promise(() => request("GET", "/openapi.json"))
    return [...new Set(operationsOf(body as Document).map(({ path }) => path))]
  })

  it.effect("campaign and widget paths carry a /api/v1 prefix", () =>
    Effect.map(paths, (paths) => {
      const versioned = paths.filter((path) => /campaign|widget/.test(path))
      assert.isNotEmpty(versioned)
      assert.deepStrictEqual(
        versioned.filter((path) => !path.startsWith("/api/v1/")),
        [],
      )
    }),
  )

  it.effect("tool, playbook, FAQ, account and login paths use /api with no version segment", () =>
    Effect.map(paths, (paths) => {
      const bare = paths.filter((path) => /^\/api\/(?:v\d+\/)?(?:tools|playbooks|faqs|accounts|login)/.test(path))
      assert.isNotEmpty(bare)
      assert.deepStrictEqual(
        bare.filter((path) => path.startsWith("/api/v")),
        [],
      )
    }),
  )

  it.effect("every path is served as written and again under /hub-api, one router with one optional prefix", () =>
    Effect.gen(function* () {
      const { ownerOf, request } = yield* TestServer
      const owner = yield* Effect.promise(() => ownerOf("prefixed"))
      for (const path of (yield* paths).filter((path) => !path.includes("{") && !path.includes("widget"))) {
        const [bare, prefixed] = yield* Effect.promise(() =>
          Promise.all([owner.request("HEAD", path), owner.request("HEAD", `/hub-api${path}`)]),
        )
        assert.strictEqual(bare.status, prefixed.status, path)
        assert.notStrictEqual(prefixed.status, 500)
      }
      const { body } = yield* Effect.promise(() => request("GET", "/hub-api/openapi.json"))
      assert.deepStrictEqual(
        (body as Document).servers.map(({ url }) => url),
        ["/", "/hub-api"],
      )
      const made = yield* Effect.promise(() => owner.post("/hub-api/api/faqs", { question: "Where?", answer: "Here." }))
      assert.match(made.headers.get("location") ?? "", /^\/hub-api\/api\/faqs\//)
      const read = yield* Effect.promise(() => owner.get(made.headers.get("location") ?? ""))
      assert.strictEqual(read.status, 200)
    }),
  )
})
