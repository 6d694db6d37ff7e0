/** The contact list over HTTP: one form, one transaction, one report (spec §2; decisions §2, CSV). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { request as httpRequest } from "node:http"
import { wide } from "../support/Callers.ts"
import { type Campaigner, campaigner } from "../support/Campaigner.ts"
import { campaignForm, made } from "../support/Fixtures.ts"
import type { Problem } from "../support/Contract.ts"
import { type Answer, type Client, TestServer } from "../support/TestServer.ts"

const path = "/api/v1/campaigns"
const csv = "phone_number,first_name\n+14155550132,Ada\n+14155550133,Bob\n"

const refused = ({ body, status }: Answer, expected: number, pointer: string, detail = "") => {
  assert.strictEqual(status, expected, JSON.stringify(body))
  const { errors = [] } = body as Problem
  assert.include(
    errors.map((error) => error.pointer),
    pointer,
  )
  assert.include(errors.map((error) => error.detail).join("\n"), detail)
}

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), { timeout: "120 seconds", excludeTestServices: true })(
  "a contact list (decisions §2, CSV)",
  (it) => {
    const test = (name: string, body: (own: Campaigner, owner: Client, url: string) => Promise<void>) =>
      it.effect(name, () =>
        Effect.flatMap(TestServer, (server) =>
          Effect.promise(async () => {
            const owner = await server.ownerOf(`c${crypto.randomUUID().slice(0, 8)}`, wide)
            await body(await campaigner(owner), owner, server.url)
          }),
        ),
      )
    const nothingStored = async (owner: Client) => assert.strictEqual(made(await owner.get(path)).total, 0)

    test("makes a draft with a report, at 201 with Location and ETag", async (own, owner) => {
      const faulty = `${"n".repeat(39)}😀o`
      const answer = await own.upload(`phone_number;x\n+14155550132;1\n+14155550132;2\n${faulty};3\n+14155550133;4\n`)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("location"), `${path}/${answer.body.id}`)
      assert.match(answer.headers.get("etag") ?? "", /^"/)
      const { errors, ...report } = answer.body.import!
      assert.deepStrictEqual(report, { rows: 4, accepted: 2, duplicates: 1, invalid: 1 })
      assert.strictEqual(errors.length, 1)
      assert.deepInclude(errors[0], { line: 4, column: "phone_number", code: "invalid_phone_number" })
      assert.deepStrictEqual<unknown>(made(await owner.get(`${path}/${answer.body.id}`)), answer.body)
      assert.strictEqual(answer.body.counts!.total, 2)
    })

    test("fields left out have their defaults, and fields may follow the file", async (own, owner) => {
      const form = new FormData()
      form.append("contacts", new Blob(["phone_number,a\n020 7946 0018,1\n+442079460018,2\n"]), "c.csv")
      for (const [name, value] of Object.entries({ name: "n", ...own.line, default_country: "GB", scheduled_at: "" })) {
        form.append(name, value)
      }
      const campaign = made(await owner.request("POST", path, { body: form }))
      assert.deepInclude(campaign, {
        status: "draft",
        max_concurrent_calls: 1,
        retries_per_contact: 0,
        retry_delay_seconds: 300,
        scheduled_at: null,
        calling_window: null,
        max_calls_per_minute: null,
      })
      assert.deepInclude(campaign.import, { rows: 2, accepted: 1, duplicates: 1 })
      assert.strictEqual((await own.contacts(campaign.id))[0]?.phone_number, "+442079460018")
    })

    test("custom fields reach the contact as they stood, whatever their names", async (own) => {
      const { id } = made(await own.upload("phone_number,constructor,__proto__,ß\n+14155550132,a,b,ü😀\n"))
      const [contact] = await own.contacts(id)
      assert.deepStrictEqual(
        Object.entries(contact!.custom_fields).sort(),
        [
          ["__proto__", "b"],
          ["constructor", "a"],
          ["ß", "ü😀"],
        ].sort(),
      )
    })

    test("a form that is wrong is a 400 that points at every field, and stores nothing", async (own, owner) => {
      refused(await own.upload(csv, { max_concurrent_calls: "0" }), 400, "/max_concurrent_calls")
      refused(await own.upload(csv, { max_concurrent_calls: "101" }), 400, "/max_concurrent_calls", "100")
      refused(await own.upload(csv, { retries_per_contact: "eleven" }), 400, "/retries_per_contact")
      refused(await own.upload(csv, { retry_delay_seconds: "604801" }), 400, "/retry_delay_seconds")
      refused(await own.upload(csv, { scheduled_at: "tomorrow" }), 400, "/scheduled_at")
      refused(await own.upload(csv, { scheduled_at: "2026-02-30T10:00:00Z" }), 400, "/scheduled_at")
      refused(await own.upload(csv, { calling_window: "{" }), 400, "/calling_window")
      refused(await own.upload(csv, { calling_window: '{"days":["mon"],"start":"9"}' }), 400, "/calling_window/start")
      refused(await own.upload(csv, { duplicate_policy: "maybe" }), 400, "/duplicate_policy")
      refused(await own.upload(csv, { default_country: "XX" }), 400, "/default_country")
      refused(await own.upload(csv, { agent_id: "nobody" }), 400, "/agent_id")
      refused(await own.upload(csv, { name: " " }), 400, "/name")
      refused(await own.upload(csv, { nonsense: "1" }), 400, "/nonsense")
      const many = await own.upload(csv, { retries_per_contact: "-1", max_concurrent_calls: "x" })
      assert.deepStrictEqual(many.body.errors!.map(({ pointer }: { pointer: string }) => pointer).sort(), [
        "/max_concurrent_calls",
        "/retries_per_contact",
      ])
      await nothingStored(owner)
    })

    test("an agent or number that is not there is a 404 with a pointer", async (own, owner) => {
      const nobody = crypto.randomUUID()
      refused(await own.upload(csv, { agent_id: nobody }), 404, "/agent_id")
      refused(await own.upload(csv, { phone_number_id: nobody }), 404, "/phone_number_id")
      await nothingStored(owner)
    })

    test("what a client may only send back is ignored", async (own) => {
      const answer = await own.upload(csv, { id: "x", status: "completed", counts: "{}" })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.body.status, "draft")
    })

    test("a list that is wrong is a 400 that points at it, and stores nothing", async (own, owner) => {
      for (const wrong of [
        "",
        "phone_number\n",
        "number\n1\n",
        "phone_number\nx\ny\n+14155550132\n",
        "phone_number,a,a\n",
      ]) {
        refused(await own.upload(wrong), 400, "/contacts")
      }
      const repeated = await own.upload(`${csv}+14155550132,Eve\n`, { duplicate_policy: "reject" })
      refused(repeated, 400, "/contacts", "line 4: +14155550132 is already on line 2")
      await nothingStored(owner)
    })

    test("no file, two files, no boundary, or no form at all", async (own, owner) => {
      const form = new FormData()
      form.append("name", "x")
      refused(await owner.request("POST", path, { body: form }), 400, "/contacts", "is missing")
      const two = campaignForm({ name: "n", ...own.line }, csv)
      two.append("contacts", new Blob([csv]), "d.csv")
      refused(await owner.request("POST", path, { body: two }), 400, "/contacts", "occurs twice")
      const type = { "content-type": "multipart/form-data" }
      assert.strictEqual((await owner.request("POST", path, { body: "x", headers: type })).status, 400)
      assert.strictEqual((await owner.post(path, { name: "x" })).status, 415)
      assert.strictEqual((await owner.request("POST", path)).status, 415)
      const cut = { "content-type": "multipart/form-data; boundary=b" }
      const body =
        '--b\r\ncontent-disposition: form-data; name="contacts"; filename="c"\r\n\r\nphone_number\n+14155550132\n'
      assert.strictEqual((await owner.request("POST", path, { body, headers: cut })).status, 400)
      await nothingStored(owner)
    })

    test("a client that hangs up in the middle leaves nothing behind", async (own, owner, url) => {
      const part = (name: string, more = "") => `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
      const fields = Object.entries({ name: "cut", ...own.line }).map(([name, value]) => `${part(name)}${value}\r\n`)
      const rows = Array.from({ length: 20_000 }, (_, at) => `+1415${5_000_000 + at},x\n`).join("")
      const body = `${fields.join("")}${part("contacts", '; filename="c.csv"')}phone_number,a\n${rows}`
      await new Promise<void>((resolve) => {
        const request = httpRequest(url + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${owner.token}`,
            "x-account-id": owner.account,
            "content-type": "multipart/form-data; boundary=b",
            "content-length": body.length * 2,
          },
        })
        request.on("error", () => resolve())
        request.on("close", () => resolve())
        request.write(body, () => request.destroy())
      })
      // The account is not blocked by it: its next import goes through, and is alone.
      const next = made(await own.upload(csv))
      const all = made(await owner.get(path))
      assert.deepStrictEqual(
        all.items.map(({ id }: { id: string }) => id),
        [next.id],
      )
    })

    test("the same Idempotency-Key with the same parts, whatever the boundary, is one campaign", async (own, owner) => {
      const send = (text: string, headers: Record<string, string> = { "idempotency-key": "once" }) =>
        owner.request("POST", path, { body: campaignForm({ name: "n", ...own.line }, text), headers })
      const first = await send(csv)
      assert.strictEqual(first.status, 201)
      assert.isNull(first.headers.get("idempotent-replayed"))
      const second = await send(csv)
      assert.strictEqual(second.status, 201)
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual(second.body, first.body)
      assert.strictEqual(second.headers.get("location"), first.headers.get("location"))
      const other = await send(`${csv}+14155550134,Eve\n`)
      assert.strictEqual(other.status, 422)
      assert.strictEqual(other.body.code, "idempotency_key_reused")
      assert.strictEqual(made(await owner.get(path)).total, 1)
    })

    test("of two uploads at once with one key, one makes the campaign", async (own, owner) => {
      const send = () =>
        owner.request("POST", path, {
          body: campaignForm({ name: "n", ...own.line }, csv),
          headers: { "idempotency-key": "together" },
        })
      const answers = await Promise.all([send(), send(), send()])
      for (const { status } of answers) assert.include([201, 409], status)
      assert.strictEqual(made(await owner.get(path)).total, 1)
    })

    test("results.csv has the contacts in file order, harmless to a spreadsheet", async (own, owner) => {
      const list = [
        'phone_number,note,"=cmd","a,b"',
        '+14155550101,=1+1,"@x","say ""hi"""',
        "+14155550170,-5,+1,\tindent",
        "+14155550102,plain,ok,ü",
        "",
      ].join("\n")
      const { id } = made(await own.upload(list, { max_concurrent_calls: "3" }))
      made(await own.operate(id, "start"))
      await own.ended(id)
      const answer = await owner.get(`${path}/${id}/results.csv`)
      assert.strictEqual(answer.status, 200)
      assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/)
      assert.match(answer.headers.get("content-disposition") ?? "", /^attachment/)
      const lines: ReadonlyArray<string> = answer.body.split("\r\n")
      assert.match(
        lines[0] ?? "",
        /^phone_number,status,outcome,attempts,last_called_at,duration_seconds,note,'=cmd,"a,b"/,
      )
      assert.match(lines[1] ?? "", /^\+14155550101,completed,answered,1,\d{4}-[^,]+Z,[\d.]+,'=1\+1,'@x,"say ""hi"""/)
      assert.match(lines[2] ?? "", /^\+14155550170,failed,busy,1,[^,]+Z,,'-5,'\+1,'\tindent/)
      assert.match(lines[3] ?? "", /^\+14155550102,completed,answered,1,[^,]+Z,[\d.]+,plain,ok,ü/)

      // Only the contacts that the list finds, too.
      const found = async (query: string) => {
        const rows = made(await owner.get(`${path}/${id}/results.csv?${query}` as never)) as unknown as string
        return rows
          .split("\r\n")
          .slice(1, -1)
          .map((row) => row.slice(0, 12))
      }
      assert.deepStrictEqual(await found("status=failed"), ["+14155550170"])
      assert.deepStrictEqual(await found("outcome=answered"), ["+14155550101", "+14155550102"])
      assert.deepStrictEqual(await found("outcome=answered&search=plain"), ["+14155550102"])
      assert.deepStrictEqual(await found("search=555%200170"), ["+14155550170"])
      assert.deepStrictEqual(await found("status=pending"), [])
      assert.strictEqual((await owner.get(`${path}/${id}/results.csv?status=lost` as never)).status, 400)
    })
  },
)
