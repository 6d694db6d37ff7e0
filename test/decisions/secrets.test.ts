/** A stored secret is sent only where it was stored for: a client that may change a config can neither read nor redirect its secrets. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { http, mask, number } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

/** A server on this machine that answers 200 and keeps the headers that it was sent. */
const site = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<NodeJS.Dict<string | Array<string>>> = []
    const server = createServer(({ headers }, response) => {
      seen.push(headers)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) => Effect.sync(() => void server.close().closeAllConnections()),
)

type Site = Effect.Success<typeof site>

const test = (body: (owner: Client, shop: Site, thief: Site) => Promise<void>) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const [shop, thief] = [yield* site, yield* site]
    yield* Effect.promise(async () => body(await server.ownerOf(`s${crypto.randomUUID().slice(0, 8)}`), shop, thief))
  })

const options = { timeout: "120 seconds", excludeTestServices: true } as const
const secret = "token-of-the-shop"

it.layer(Layer.fresh(TestServer.layerWith({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" })), options)(
  "a stored secret",
  (it) => {
    const config = (url: string, fields: object = {}) => ({
      url,
      authentication: { type: "bearer", token: secret },
      headers: { "X-Shop": "key-of-the-shop", Accept: "text/plain" },
      ...fields,
    })

    it.effect("of an http tool stays for another path of its origin, and is refused for another origin", () =>
      test(async (owner, shop, thief) => {
        const tool = made(await owner.post("/api/tools", http(config(`${shop.url}/a`))))
        const shown = tool.implementation_config
        assert.nestedPropertyVal(shown, "authentication.token", mask)
        const path = `/api/tools/${tool.id}` as const
        const moved = { implementation_config: { ...shown, url: `${shop.url}/b` } }
        assert.strictEqual((await owner.put(path, moved)).status, 200)
        const stolen = { implementation_config: { ...shown, url: `${thief.url}/a` } }
        const refusal = await owner.put(path, stolen)
        refused(refusal, 400, "invalid_request", "/implementation_config/authentication/token")
        refused(refusal, 400, "invalid_request", "/implementation_config/headers/X-Shop")
        assert.strictEqual(
          refusal.body.errors![0]!.detail,
          "is a mask, and the stored secret was given for another destination. Send the secret itself.",
        )
        const tried = await owner.post(`${path}/invoke`, { arguments: {}, tool: stolen })
        refused(tried, 400, "invalid_request", "/tool/implementation_config/authentication/token")
        assert.deepStrictEqual(thief.seen, [])
        const own = config(thief.url, { authentication: { type: "bearer", token: "mine" }, headers: {} })
        assert.strictEqual((await owner.put(path, { implementation_config: own })).status, 200)
        made(await owner.post(`${path}/invoke`, { arguments: {} }))
        assert.strictEqual(thief.seen[0]?.authorization, "Bearer mine")
        assert.notInclude(JSON.stringify(thief.seen), "shop")
      }),
    )

    it.effect("of an http tool is not sent to the URL that an older version of an agent has", () =>
      test(async (owner, shop, thief) => {
        const own = { authentication: { type: "bearer", token: "mine" }, headers: {} }
        const tool = made(await owner.post("/api/tools", http(config(thief.url, own))))
        const agent = made(await owner.post("/api/agents", { name: "Rosa", system_prompt: "You are Rosa." }))
        const of = `/api/agents/${agent.id}` as const
        made(await owner.post(`${of}/tools`, { tool_name: tool.name }))
        const { version } = made(await owner.get(of))
        made(await owner.put(`/api/tools/${tool.id}`, { implementation_config: config(shop.url) }))
        const restored = await owner.post(`${of}/versions/${version}/restore`)
        refused(restored, 409, "not_restorable")
        assert.include(JSON.stringify(restored.body), "no longer has the secret for this version's URL")
        assert.deepStrictEqual(thief.seen, [])
      }),
    )

    it.effect("may be any header's value: all come back masked but harmless ones and those marked public", () =>
      test(async (owner, shop) => {
        const headers = { "X-Shop": "key-of-the-shop", "X-Region": "eu-central", Accept: "text/plain", Cookie: "a=b" }
        const sent = config(shop.url, { headers, public_headers: ["x-region", "cookie"] })
        const tool = made(await owner.post("/api/tools", http(sent)))
        const shown = tool.implementation_config
        const masked = { "X-Shop": mask, "X-Region": "eu-central", Accept: "text/plain", Cookie: mask }
        assert.deepStrictEqual(shown.headers, masked)
        const path = `/api/tools/${tool.id}` as const
        made(await owner.put(path, { implementation_config: shown }))
        made(await owner.post(`${path}/invoke`, { arguments: {} }))
        assert.deepInclude(shop.seen[0], { "x-shop": "key-of-the-shop", "x-region": "eu-central", cookie: "a=b" })
        const opened = { implementation_config: { ...shown, public_headers: ["x-shop"] } }
        const refusal = await owner.put(path, opened)
        refused(refusal, 400, "invalid_request", "/implementation_config/headers/X-Shop")
        assert.notInclude(JSON.stringify(refusal.body), "key-of-the-shop")
      }),
    )

    it.effect("of a phone number's carrier is refused for another host of the carrier", () =>
      test(async (owner) => {
        const carrier_config = { sip: { host: "sip.example.com", user: "u", password: secret } }
        const made_ = made(await owner.post("/api/phone-numbers", { ...number(), carrier: "sip", carrier_config }))
        const path = `/api/phone-numbers/${made_.id}` as const
        const shown = made_.carrier_config.sip as { readonly password: string }
        assert.strictEqual(shown.password, mask)
        made(await owner.put(path, { carrier_config: { sip: { ...shown, user: "v" } } }))
        const stolen = await owner.put(path, { carrier_config: { sip: { ...shown, host: "thief.example" } } })
        refused(stolen, 400, "invalid_request", "/carrier_config/sip/password")
      }),
    )

    it.effect("of a webhook signs nothing for another origin, neither when it is left out nor during a rotation", () =>
      test(async (owner) => {
        const path = "/api/v1/webhooks"
        const hook = made(await owner.post(path, { url: "https://shop.example/hook", events: ["*"] }))
        const one = `${path}/${hook.id}` as const
        made(await owner.put(one, { url: "https://shop.example/other", secret: mask }))
        for (const fields of [{ secret: mask }, {}]) {
          const refusal = await owner.put(one, { url: "https://thief.example/hook", ...fields })
          refused(refusal, 400, "invalid_request", "/secret")
        }
        assert.strictEqual(made(await owner.get(one)).url, "https://shop.example/other")
        const next = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
        made(await owner.put(one, { url: "https://thief.example/hook", secret: next }))
      }),
    )
  },
)
