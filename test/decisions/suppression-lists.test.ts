/** The do-not-call list as a file: imported once it is known to be readable, exported as it can be imported. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readlinkSync } from "node:fs"
import { wide } from "../support/Callers.ts"
import { campaigner } from "../support/Campaigner.ts"
import type { Problem } from "../support/Contract.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { readByPython } from "../support/PythonCsv.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const path = "/api/v1/suppressions/import"

const formOf = (numbers: string, fields: Record<string, string> = {}): FormData => {
  const form = new FormData()
  form.append("numbers", new Blob([numbers], { type: "text/csv" }), "numbers.csv")
  // Behind the file, where a client may send them too.
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
const upload = (owner: Client, numbers: string, fields?: Record<string, string>) =>
  owner.request("POST", path, { body: formOf(numbers, fields) })

const listed = async (owner: Client) =>
  made(await owner.get("/api/v1/suppressions?page_size=100"))
    .items.map(({ expires_at, phone_number, reason, source }) => [phone_number, source, reason, expires_at])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))

/** The lists that this process has on its disk, in files without a name. */
const spooled = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes("/uploads/")
    } catch {
      return false
    }
  }).length

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), { timeout: "120 seconds", excludeTestServices: true })(
  "the do-not-call list as a file",
  (it) => {
    const test = (name: string, body: (owner: Client) => Promise<void>) =>
      it.effect(name, () =>
        Effect.flatMap(TestServer, (server) =>
          Effect.promise(async () => body(await server.ownerOf(`s${crypto.randomUUID().slice(0, 8)}`, wide))),
        ),
      )

    it.effect("waits unread while the account has 16 others on the disk, and delays no other account", () =>
      Effect.gen(function* () {
        const { ownerOf, url } = yield* TestServer
        yield* Effect.promise(async () => {
          const [flooding, other] = [await ownerOf("flooding", wide), await ownerOf("other", wide)]
          const whole = new Response(formOf("phone_number\n+14155550142\n"))
          const type = whole.headers.get("content-type") ?? ""
          const bytes = new Uint8Array(await whole.arrayBuffer())
          const stop = new AbortController()
          const { account, token } = flooding
          const headers = { authorization: `Bearer ${token}`, "x-account-id": account, "content-type": type }
          const begun = Array.from({ length: 24 }, () => {
            const body = new ReadableStream<Uint8Array>({ start: (sending) => sending.enqueue(bytes.slice(0, -20)) })
            const request = { method: "POST", headers, body, duplex: "half", signal: stop.signal } as const
            return fetch(`${url}${path}`, request).catch(() => "stopped")
          })
          await until(() => spooled() === 16)
          made(await upload(other, "phone_number\n+14155550142\n"))
          await until(() => spooled() === 16)
          stop.abort()
          await Promise.all(begun)
          await until(() => spooled() === 0)
          made(await upload(flooding, "phone_number\n+14155550142\n"))
        })
      }),
    )

    test("is imported also while another import brings the same numbers in another order", async (owner) => {
      const numbers = Array.from({ length: 30_000 }, (_, at) => `+49151${10_000_000 + at}`)
      const lists = [numbers, numbers.toReversed()].map((list) => `phone_number\n${list.join("\n")}\n`)
      const reports = (await Promise.all(lists.map((list) => upload(owner, list)))).map(made)
      const added = reports.reduce((sum, report) => sum + report.added, 0)
      assert.strictEqual(added, numbers.length)
    })

    test("keeps none of its numbers locked: another request adds one before the import is over", async (owner) => {
      const numbers = Array.from({ length: 200_000 }, (_, at) => `+49151${10_000_000 + at}`)
      let isOver = false
      const importing = upload(owner, `${numbers.join("\n")}\n`).finally(() => (isOver = true))
      await until(async () => made(await owner.get("/api/v1/suppressions?page_size=1")).total > 0)
      made(await owner.post("/api/v1/suppressions", { phone_number: numbers[0]! }))
      assert.isFalse(isOver)
      assert.include(made(await importing), { rows: numbers.length, added: numbers.length })
    })

    test("is imported by its columns, in any order, and says what became of each row", async (owner) => {
      const list = [
        "name;expires_at;phone_number;reason",
        "Ada;;+1 415 555 0132;by letter",
        "Bob;2099-01-01T00:00:00Z;+14155550133;",
        "Ada again;;+14155550132;",
        "Eve;soon;+14155550134;",
        "Nobody;;12;",
        "Carl;;4155550135;",
        "",
      ].join("\r\n")
      const { errors, ...report } = made(await upload(owner, list, { default_country: "us", reason: "Letters of May" }))
      assert.deepStrictEqual(report, { rows: 6, added: 3, extended: 0, unchanged: 1, invalid: 2 })
      assert.deepStrictEqual(
        errors.map(({ code, column, line }) => [line, column, code]),
        [
          [5, "expires_at", "invalid_timestamp"],
          [6, "phone_number", "invalid_phone_number"],
        ],
      )
      assert.deepStrictEqual(await listed(owner), [
        ["+14155550132", "import", "by letter", null],
        ["+14155550133", "import", "Letters of May", "2099-01-01T00:00:00.000Z"],
        ["+14155550135", "import", "Letters of May", null],
      ])
    })

    test("needs no header where each row begins with a number", async (owner) => {
      assert.include(made(await upload(owner, "+14155550132\n+14155550133\n")), { rows: 2, added: 2 })
      const list = "+14155550134,asked by mail,1998\n+14155550135\n+14155550136,\n"
      assert.include(made(await upload(owner, list)), { rows: 3, added: 3 })
      assert.deepInclude(await listed(owner), ["+14155550134", "import", "asked by mail", null])
    })

    test("leaves entries as they are, and never shortens how long they block", async (owner) => {
      const add = async (phone_number: string, expires_at: string | null) =>
        made(await owner.post("/api/v1/suppressions", { phone_number, reason: "mine", expires_at }))
      await add("+14155550132", null)
      await add("+14155550133", "2030-01-01T00:00:00Z")
      await add("+14155550134", "2040-01-01T00:00:00Z")
      const list = [
        "phone_number,expires_at",
        "+14155550132,2031-01-01T00:00:00Z",
        "+14155550133,2031-01-01T00:00:00Z",
        "+14155550134,2031-01-01T00:00:00Z",
        "+14155550135,2031-01-01T00:00:00Z",
        "+14155550135,",
        "",
      ].join("\n")
      const { errors: _, ...report } = made(await upload(owner, list))
      assert.deepStrictEqual(report, { rows: 5, added: 1, extended: 1, unchanged: 3, invalid: 0 })
      assert.deepStrictEqual(await listed(owner), [
        ["+14155550132", "api", "mine", null],
        ["+14155550133", "api", "mine", "2031-01-01T00:00:00.000Z"],
        ["+14155550134", "api", "mine", "2040-01-01T00:00:00.000Z"],
        ["+14155550135", "import", null, null],
      ])
    })

    test("has entries for one subject, which are exported behind the others and imported as they were (decision 0089)", async (owner) => {
      const list = [
        "phone_number,campaign_subject,subject,expires_at",
        "+14155550132,Energy,ignored,2030-01-01T00:00:00Z",
        "+14155550132,ENERGY,,",
        "+14155550132,,ignored,",
        `+14155550133,${"x".repeat(201)},,`,
        "",
      ].join("\n")
      const { errors, ...report } = made(await upload(owner, list))
      assert.deepStrictEqual(report, { rows: 4, added: 2, extended: 0, unchanged: 1, invalid: 1 })
      assert.deepInclude(errors[0], { line: 5, column: "campaign_subject", code: "invalid_subject" })
      assert.include(made(await upload(owner, "+14155550131,=1+1\n", { subject: "Water" })), { added: 1 })
      const entries = async () =>
        made(await owner.get("/api/v1/suppressions"))
          .items.map(({ expires_at, phone_number, subject }) => [phone_number, subject, expires_at])
          .toSorted((one, other) => String(one).localeCompare(String(other)))
      const all = [
        ["+14155550131", "Water", null],
        ["+14155550132", null, null],
        ["+14155550132", "ENERGY", null],
      ]
      assert.deepStrictEqual(await entries(), all)
      const csv = String((await owner.get("/api/v1/suppressions.csv")).body)
      const [[header = [], ...rows] = []] = await readByPython([csv])
      assert.strictEqual(header.at(-1), "campaign_subject")
      assert.deepStrictEqual(
        rows.map((row) => [row[0], row[2], row.at(-1)]),
        [
          ["+14155550132", "", ""],
          ["+14155550131", "'=1+1", "Water"],
          ["+14155550132", "", "ENERGY"],
        ],
      )
      assert.include(made(await upload(owner, csv)), { rows: 3, added: 0, unchanged: 3 })
      assert.deepStrictEqual(await entries(), all)
    })

    test("is refused as a whole with a reason, and nothing of it is kept", async (owner) => {
      const refusals: ReadonlyArray<readonly [list: string, pointer: string, detail: string, fields?: object]> = [
        ["", "/numbers", "is empty"],
        ["name\nAda\n", "/numbers", "has no column named phone_number; it has name"],
        ["phone_number\n+14155550132\n1\n2\n", "/numbers", "has 2 invalid rows"],
        ['phone_number\n+14155550132\n"+1\n', "/numbers", 'a cell begins with "'],
        ["+14155550132\n", "/default_country", "ISO 3166-1", { default_country: "Utopia" }],
        ["+14155550132\n", "/reason", "1000", { reason: "x".repeat(1_001) }],
        ["+14155550132\n", "/subject", "200", { subject: "x".repeat(201) }],
        ["+14155550132\n", "/note", "is not a field of this form", { note: "x" }],
      ]
      for (const [list, pointer, detail, fields] of refusals) {
        const { errors = [] } = refused(await upload(owner, list, { ...fields }), 400, "invalid_request") as Problem
        assert.isTrue(
          errors.some((error) => error.pointer === pointer && error.detail.includes(detail)),
          JSON.stringify(errors),
        )
      }
      const tooLong = `phone_number\n${"+14155550132\n".repeat(2_600_000)}`
      refused(await upload(owner, tooLong), 413, "body_too_large")
      refused(await owner.post(path as never, {}), 415, "unsupported_media_type")
      assert.deepStrictEqual(await listed(owner), [])
    })

    test("is imported once for an Idempotency-Key", async (owner) => {
      const send = (numbers: string) =>
        owner.request("POST", path, { body: formOf(numbers), headers: { "idempotency-key": "once" } })
      const first = made(await send("+14155550132\n"))
      const again = await send("+14155550132\n")
      assert.deepStrictEqual(made(again), first)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      refused(await send("+14155550133\n"), 422, "idempotency_key_reused")
    })

    test("keeps an imported number from being dialled, in a campaign that runs too", async (owner) => {
      const own = await campaigner(owner)
      made(await upload(owner, "+14155550101\n"))
      const { id } = made(await own.upload("phone_number\n+14155550101\n+14155550102\n"))
      made(await own.operate(id, "start"))
      await own.ended(id)
      const contacts = await own.contacts(id)
      assert.deepStrictEqual(
        contacts.map(({ skip_reason, status }) => [status, skip_reason]),
        [
          ["skipped", "do_not_call"],
          ["completed", null],
        ],
      )
    })

    test("is exported as other readers read it, and as another account imports it", async (owner) => {
      made(await owner.post("/api/v1/suppressions", { phone_number: "+14155550133", reason: '=1+1, "so"\nthey said' }))
      const list = Array.from({ length: 2_500 }, (_, at) => `+1212${2_000_000 + at}`)
      made(await upload(owner, list.join("\n"), { reason: "Letters" }))
      const answer = await owner.get("/api/v1/suppressions.csv")
      assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="do-not-call.csv"/)
      const [rows = []] = await readByPython([String(answer.body)])
      assert.deepStrictEqual(rows[0], ["phone_number", "source", "reason", "created_at", "expires_at", "call_id"])
      assert.deepStrictEqual(
        rows.slice(1).map(([number]) => number),
        [...list, "+14155550133"].toSorted(),
      )
      assert.deepStrictEqual(rows.find(([number]) => number === "+14155550133")?.slice(1, 3), [
        "api",
        `'=1+1, "so"\nthey said`,
      ])
      const found = await owner.get(`/api/v1/suppressions.csv?search=${encodeURIComponent("they said")}`)
      assert.lengthOf(String(found.body).match(/^\+/gm) ?? [], 1)
      const actions = made(await owner.get("/api/v1/audit")).items.map(({ action }) => action)
      assert.deepStrictEqual(actions.slice(0, 3), ["do_not_call.export", "do_not_call.export", "do_not_call.import"])
      const report = made(await upload(owner, String(answer.body)))
      assert.include(report, { rows: 2_501, added: 0, unchanged: 2_501, invalid: 0 })
    })
  },
)
