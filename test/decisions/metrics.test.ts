import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { promtool, promtoolFault } from "../support/Promtool.ts"
import { type Answer, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

/** `name{labels} value` of each line, by what stands before the value. */
const valuesOf = ({ body }: Answer): ReadonlyMap<string, number> =>
  new Map(
    String(body)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  )

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "GET /metrics (decisions §1, Operations)",
  (it) => {
    it.effect("is Prometheus text that names every family once, and needs no account", () =>
      Effect.gen(function* () {
        const { request } = yield* TestServer
        yield* Effect.promise(async () => {
          await request("GET", "/healthz")
          const answer = await request("GET", "/metrics")
          assert.strictEqual(answer.status, 200)
          assert.match(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
          const lines = String(answer.body).split("\n")
          assert.strictEqual(lines.at(-1), "")
          const sample = /^[a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)+\})? (?:[-+.\de]+|NaN|[+-]Inf)$/
          for (const line of lines.slice(0, -1))
            assert.match(line, line.startsWith("#") ? /^# (?:HELP|TYPE) \w+ / : sample)
          const types = lines.filter((line) => line.startsWith("# TYPE"))
          assert.strictEqual(new Set(types).size, types.length)
          const helps = lines.filter((line) => /^# HELP \w+ \S/.test(line))
          assert.strictEqual(helps.length, types.length)
          assert.strictEqual((await request("HEAD", "/metrics")).status, 200)
        })
      }),
    )

    it.effect.skipIf(promtoolFault !== undefined)("is accepted by Prometheus' own tool, names and units included", () =>
      Effect.gen(function* () {
        const { request } = yield* TestServer
        const { body } = yield* Effect.promise(() => request("GET", "/metrics"))
        assert.deepStrictEqual(promtool(["check", "metrics"], String(body)), { isAccepted: true, said: "" })
      }),
    )

    it.effect("has what an operator asks from the start, before anything of it has happened", () =>
      Effect.gen(function* () {
        const { request } = yield* TestServer
        yield* Effect.promise(async () => {
          const seen = await until(async () => {
            const values = valuesOf(await request("GET", "/metrics"))
            const isCounted = !Number.isNaN(values.get("parley_accounts"))
            return isCounted && values.has("parley_database_open_duration_seconds_count") && values
          })
          const expected: Record<string, (value: number) => boolean> = {
            parley_accounts: (value) => value >= 1,
            parley_accounts_unmigrated: (value) => value === 0,
            parley_accounts_unavailable: (value) => value === 0,
            parley_processes: (value) => value === 1,
            parley_campaigns_undialled: (value) => value >= 0,
            parley_webhooks_overdue_seconds: (value) => value >= 0,
            parley_sip_numbers_unregistered: (value) => value >= 0,
            parley_heartbeat_age_seconds: (value) => value >= 0 && value < 10,
            parley_call_ends_waiting: (value) => value >= 0,
            parley_call_ends_waiting_age_seconds: (value) => value >= 0,
            parley_dial_passes_failed_total: (value) => value >= 0,
            parley_dial_stalled_seconds: (value) => value >= 0,
            parley_recordings_failed_total: (value) => value >= 0,
            parley_database_connections_max: (value) => value === 40,
            parley_database_connections_opened_total: (value) => value >= 1,
            parley_database_open_duration_seconds_count: (value) => value >= 1,
            nodejs_eventloop_lag_seconds_count: (value) => value > 1,
            process_start_time_seconds: (value) => value > 1e9,
            'parley_log_lines_total{level="error"}': (value) => value >= 0,
            'parley_sweep_duration_seconds_count{sweep="campaigns"}': (value) => value >= 1,
            'parley_sweep_duration_seconds_count{sweep="calls"}': (value) => value >= 1,
          }
          for (const [name, isRight] of Object.entries(expected)) {
            const value = seen.get(name)
            assert.isTrue(value !== undefined && isRight(value), `${name} ${value}`)
          }
        })
      }),
    )

    it.effect("tells of requests by route, of dials, calls, pools, streams and the process", () =>
      inAccountOfItsOwn(async (own, owner) => {
        const ask = async () => valuesOf(await owner.request("GET", "/metrics"))
        const before = await ask()
        const grown = (after: ReadonlyMap<string, number>, name: string) =>
          (after.get(name) ?? 0) - (before.get(name) ?? 0)
        const { id } = await own.running(numbersOf("70", 3), { max_concurrent_calls: "3" })
        await own.ended(id)
        await owner.get("/api/v1/campaigns/none")
        await owner.get("/api/nowhere")
        // Ends are counted after they are written, and a pass when it is over: the last one finds that the campaign has ended.
        const after = await until(async () => {
          const seen = await ask()
          const isCounted = grown(seen, 'parley_calls_ended_total{outcome="busy"}') >= 3
          return isCounted && grown(seen, "parley_dial_pass_duration_seconds_count") >= 2 && seen
        })
        const labels = 'method="GET",route="/api/v1/campaigns/{id}"'
        assert.strictEqual(grown(after, `parley_http_requests_total{${labels},status="4xx"}`), 1)
        assert.isAtLeast(grown(after, `parley_http_requests_total{${labels},status="2xx"}`), 1)
        assert.strictEqual(grown(after, 'parley_http_requests_total{method="GET",route="none",status="4xx"}'), 1)
        assert.isAtLeast(grown(after, `parley_http_request_duration_seconds_count{${labels}}`), 2)
        assert.strictEqual(grown(after, "parley_dials_total"), 3)
        assert.strictEqual(grown(after, 'parley_calls_ended_total{outcome="busy"}'), 3)
        for (const name of [
          "parley_calls_active",
          "parley_database_pools_open",
          "process_resident_memory_bytes",
          "process_cpu_seconds_total",
          "nodejs_heap_size_used_bytes",
          "nodejs_eventloop_lag_p99_seconds",
        ]) {
          assert.isTrue(after.has(name), name)
        }
      }),
    )

    it.effect("names no account, no resource and no number (I16)", () =>
      inAccountOfItsOwn(async (own, owner) => {
        const { id } = await own.running(numbersOf("71", 2))
        await own.ended(id)
        await owner.get(`/api/v1/campaigns/${id}`)
        await owner.get("/api/v1/suppressions/+14155550199")
        const text = [...valuesOf(await owner.request("GET", "/metrics")).keys()].join("\n")
        for (const trace of [owner.account, id, own.line.agent_id, "1415"]) assert.notInclude(text, trace)
      }),
    )
  },
)

describe("who may read /metrics", () => {
  it.layer(TestServer.layerWith({ PARLEY_METRICS_TOKEN: "scrape-me" }), {
    timeout: "120 seconds",
    excludeTestServices: true,
  })((it) => {
    it.effect("with PARLEY_METRICS_TOKEN: its bearer alone", () =>
      Effect.gen(function* () {
        const { request } = yield* TestServer
        yield* Effect.promise(async () => {
          const none = await request("GET", "/metrics")
          assert.deepStrictEqual([none.status, none.body.code], [401, "unauthenticated"])
          assert.strictEqual(none.headers.get("www-authenticate"), "Bearer")
          assert.strictEqual((await request("GET", "/metrics", { token: "scrape-you" })).status, 401)
          assert.strictEqual((await request("GET", "/metrics", { token: "scrape-me" })).status, 200)
        })
      }),
    )
  })

  const production = {
    PARLEY_ENV: "production",
    OIDC_ISSUER: "https://id.example.com",
    OIDC_AUDIENCE: "parley",
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  }
  it.layer(TestServer.layerWith(production), { timeout: "120 seconds", excludeTestServices: true })((it) => {
    it.effect("in production without one no client may read it, on this machine or through a proxy", () =>
      Effect.gen(function* () {
        const { request } = yield* TestServer
        yield* Effect.promise(async () => {
          assert.strictEqual((await request("GET", "/metrics")).status, 401)
          const proxied = await request("GET", "/metrics", { headers: { "x-forwarded-for": "203.0.113.9" } })
          assert.strictEqual(proxied.status, 401)
        })
      }),
    )
  })
})
