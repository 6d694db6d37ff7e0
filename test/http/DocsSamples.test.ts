/** The code samples of /docs: each is run as it is printed, and is a request that the contract takes. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { loadPyodide } from "pyodide"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { launch, missing } from "../support/Chromium.ts"
import { curlFault } from "../support/Curl.ts"
import { everything, made } from "../support/Fixtures.ts"
import { type Document, operationsOf } from "../support/OpenApi.ts"
import { TestServer } from "../support/TestServer.ts"

const run = promisify(execFile)
const contacts = "phone_number,first_name\n+14155550101,Ada\n"

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

type PythonRequest = Pick<Sent, "method" | "headers" | "body"> & { readonly url: string }

interface Sample {
  readonly name: string
  readonly method: string
  readonly sources: Record<string, string>
}

interface Sampled {
  readonly "x-codeSamples": ReadonlyArray<{ readonly label: string; readonly source: string }>
}

const samplesIn = (document: Document): ReadonlyArray<Sample> =>
  operationsOf(document).map((operation) => {
    const samples = (operation as unknown as Sampled)["x-codeSamples"]
    const sources = Object.fromEntries(samples.map(({ label, source }) => [label, source]))
    return { name: `${operation.method} ${operation.path}`, method: operation.method, sources }
  })

/** Reads come first; what deletes comes last, and what is within another thing before that. */
const inOrder = (samples: ReadonlyArray<Sample>) => {
  const by = Map.groupBy(samples, ({ method }) => method)
  const deleting = by.get("DELETE") ?? []
  return [...["GET", "POST", "PUT"].flatMap((method) => by.get(method) ?? []), ...deleting.toReversed()]
}

const told = ["authorization", "x-account-id", "x-admin", "origin"]
const headersOf = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      told.includes(name.toLowerCase()) ? [[name.toLowerCase(), String(value)]] : [],
    ),
  )

const bodyOf = async (type: string, body: string): Promise<unknown> => {
  if (body === "") return null
  if (type === "application/json") return JSON.parse(body)
  const form = await new Response(body, { headers: { "content-type": type } }).formData()
  const fields = [...form].map(async ([name, value]) => [name, typeof value === "string" ? value : await value.text()])
  return Object.fromEntries(await Promise.all(fields))
}

/** Passes everything on, and writes down what was sent and what came of it. */
const recorder = async (url: string) => {
  const seen: Array<{ readonly sent: Sent; readonly status: number; readonly code: unknown }> = []
  const pass = async (request: IncomingMessage) => {
    const { headers, method = "", url: path = "" } = request
    const body = await text(request)
    const type = headers["content-type"] ?? ""
    const kept = { ...headersOf(headers), ...(type === "" ? {} : { "content-type": type }) }
    const answer = await fetch(url + path, { method, headers: kept, ...(body === "" ? {} : { body }) })
    const answered = await answer.text()
    const isProblem = answer.headers.get("content-type")?.includes("problem") === true
    const sent = { method, path, headers: headersOf(headers), body: await bodyOf(type, body) }
    seen.push({ sent, status: answer.status, code: isProblem ? JSON.parse(answered).code : undefined })
    return { status: answer.status, answered }
  }
  const server = createServer((request, response) => {
    void pass(request).then(({ answered, status }) => response.writeHead(status).end(status === 204 ? "" : answered))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { seen, address: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

/** Each sample is a module of its own, in one process: a process for each took twenty times as long. */
const inNode = async (samples: ReadonlyArray<Sample>, environmentOf: (sample: Sample) => object, folder: string) => {
  for (const [at, { sources }] of samples.entries()) writeFileSync(join(folder, `${at}.mjs`), sources.JavaScript ?? "")
  writeFileSync(join(folder, "environments.json"), JSON.stringify(samples.map(environmentOf)))
  writeFileSync(
    join(folder, "all.mjs"),
    `import environments from "./environments.json" with { type: "json" }
for (const [at, environment] of environments.entries()) {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  await import("./" + at + ".mjs")
}`,
  )
  await run(process.execPath, ["all.mjs"], { cwd: folder })
}

/** CPython has no sockets here: `requests` writes down what it is asked to send. */
const inPython = async (samples: ReadonlyArray<Sample>, environmentOf: (sample: Sample) => object) => {
  const python = await loadPyodide({ stdout: () => {} })
  for (const name of ["contacts.csv", "numbers.csv"]) python.FS.writeFile(name, contacts)
  const asked = samples.map((sample) => ({ source: sample.sources.Python, environment: environmentOf(sample) }))
  python.globals.set("asked", JSON.stringify(asked))
  const sent = python.runPython(`
import json as text, os, sys, types
sent = []
def sender(method):
    def send(url, headers={}, json=None, data=None, files=None):
        read = {name: file.read().decode() for name, (_, file, _) in (files or {}).items()}
        body = {**(data or {}), **read} if read else json
        sent.append({"method": method, "url": url, "headers": headers, "body": body})
        return types.SimpleNamespace(status_code=200, text="")
    return send
requests = types.ModuleType("requests")
for method in ("get", "post", "put", "delete"):
    setattr(requests, method, sender(method.upper()))
sys.modules["requests"] = requests
for one in text.loads(asked):
    os.environ.clear()
    os.environ.update(one["environment"])
    exec(compile(one["source"], "sample", "exec"), {})
text.dumps(sent)
`)
  return (JSON.parse(sent) as ReadonlyArray<PythonRequest>).map(({ body, headers, method, url }): Sent => {
    const { pathname, search } = new URL(url)
    return { method, path: pathname + search, headers: headersOf(headers), body }
  })
}

/** What a sample may come to besides success: its example, or what stands before it in this test, is not there or in use. */
const passing = new Set<unknown>([
  "not_found",
  "invalid_state",
  "in_use",
  "name_taken",
  "reference_not_found",
  "built_in",
])

it.layer(TestServer.layer, { timeout: "300 seconds", excludeTestServices: true })("the samples of /docs", (it) => {
  it.effect(
    "are requests that the contract takes, the same ones in JavaScript, curl and Python",
    () =>
      inAccountOfItsOwn(async (own, owner, { admin, url }) => {
        const folder = mkdtempSync(join(tmpdir(), "parley-samples-"))
        for (const name of ["contacts.csv", "numbers.csv"]) writeFileSync(join(folder, name), contacts)
        const all = await everything(owner, owner.account)
        const dispositions = [{ key: "interested", label: "Wants an offer" }]
        made(await owner.put(`/api/agents/${all.agent.id}`, { dispositions }))
        const campaign = await own.running(["+14155550101"])
        await own.ended(campaign.id)
        made(await owner.post("/api/agents", { name: "Rosa", system_prompt: "You are Rosa." }))
        made(await owner.post("/api/faqs", { name: "opening-hours", question: "When?", answer: "From nine to five." }))
        made(await admin.post("/api/admin/accounts", { slug: "acme" }))
        const { address, close, seen } = await recorder(url)
        const variables = {
          PARLEY_URL: address,
          PARLEY_ACCOUNT: owner.account,
          ACCOUNT: owner.account,
          ...ids(all),
          CAMPAIGN_ID: campaign.id,
          CONTACT_ID: (await own.contacts(campaign.id))[0]?.id,
          TOOL_NAME: "end_call",
          PB_ID: "opt_out_manners",
          RUN_ID: crypto.randomUUID(),
          EXPORT_ID: crypto.randomUUID(),
          KEY: all.widgetKey.key,
          PARLEY_WIDGET_SECRET: await secretOf(owner, all.agent.id),
        }
        const environmentOf = ({ name }: Sample) => ({
          ...variables,
          PARLEY_TOKEN: name.includes("/api/admin/") ? admin.token : owner.token,
        })
        const samples = inOrder(samplesIn(made(await owner.get("/openapi.json"))))
        const sentBy = async (send: (sample: Sample) => Promise<unknown>) => {
          const from = seen.length
          for (const sample of samples) await send(sample)
          return seen.slice(from)
        }
        try {
          await inNode(samples, environmentOf, folder)
          const byNode = seen.slice()
          assert.strictEqual(byNode.length, samples.length)
          for (const [at, { name }] of samples.entries()) {
            const { code, status } = byNode[at] ?? assert.fail(name)
            // The public key of the example does not exist.
            const isKeyRefused = name.endsWith("/auth/session") && code === "unauthenticated"
            assert.isTrue(status < 400 || passing.has(code) || isKeyRefused, `${name}: ${status} ${String(code)}`)
          }
          const byPython = await inPython(samples, environmentOf)
          for (const [at, sample] of samples.entries())
            assert.deepStrictEqual(byPython[at], byNode[at]?.sent, sample.name)
          if (curlFault !== undefined) return
          const byCurl = await sentBy((sample) =>
            run("sh", ["-c", sample.sources.curl ?? ""], {
              cwd: folder,
              env: { ...environmentOf(sample), PATH: process.env["PATH"] },
            }),
          )
          const sentOf = (passed: typeof seen) => passed.map(({ sent }) => sent)
          assert.deepStrictEqual(sentOf(byCurl), sentOf(byNode))
        } finally {
          close()
          rmSync(folder, { recursive: true })
        }
      }),
    300_000,
  )

  it.effect.skipIf(missing !== undefined)(
    "are what the page shows, and all that it shows",
    () =>
      Effect.flatMap(TestServer, ({ request, url }) =>
        Effect.promise(async () => {
          const samples = samplesIn(made(await request("GET", "/openapi.json")))
          const browser = await launch()
          try {
            const page = await browser.newPage()
            await page.addInitScript(openAll)
            await page.goto(`${url}/docs`)
            await page.getByRole("heading", { name: "Idempotency" }).first().waitFor({ timeout: 120_000 })
            const isWhole = (count: number) => document.querySelectorAll("pre").length >= count
            await page.waitForFunction(isWhole, samples.length, { timeout: 120_000 })
            const shown = await page.evaluate(() =>
              [...document.querySelectorAll("pre")].map(({ textContent }) => textContent.trim()),
            )
            for (const { name, sources } of samples) assert.include(shown, sources.curl, name)
            assert.notInclude(shown.join("\n"), "YOUR_SECRET_TOKEN")
          } finally {
            await browser.close()
          }
        }),
      ),
    300_000,
  )
})

/** Runs in the page: opens every group, which a reader does by hand. */
const openAll = () => {
  let scalar: any
  Object.defineProperty(window, "Scalar", {
    get: () => scalar,
    set: (given) => {
      const createApiReference = (place: unknown, settings: object) =>
        given.createApiReference(place, { ...settings, defaultOpenAllTags: true })
      scalar = { ...given, createApiReference }
    },
  })
}

const ids = (all: Awaited<ReturnType<typeof everything>>): Record<string, string> => ({
  TOOL_ID: all.tool.id,
  AGENT_ID: all.agent.id,
  FAQ_ID: all.faq.id,
  CALL_ID: all.call.id,
  NOTE_ID: all.note.id,
  CONSENT_ID: all.consent.id,
  PHONE_NUMBER_ID: all.number.id,
  CALLER_NUMBER_ID: all.number.id,
  API_KEY_ID: all.apiKey.id,
  WIDGET_KEY_ID: all.widgetKey.id,
  WEBHOOK_ID: all.webhook.id,
  DELIVERY_ID: all.delivery.id,
})

const secretOf = async (owner: Parameters<typeof everything>[0], agent_id: string): Promise<string> =>
  made(await owner.post("/api/v1/widget-keys", { name: "server", kind: "secret", agent_id })).key
