/** Calling windows of accounts and campaigns: refused when they are wrong, kept to when they are right (I11; decisions §2). */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { zoneOfNoon } from "../support/Noon.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const always = { days: [...dayNames], start: "00:00", end: "24:00", time_zone: "contact" }
/** The day on which these tests began, also where midnight passes meanwhile. */
const today = Math.floor(Date.now() / 86_400_000)
const utcMidnight = (ahead: number) => (today + ahead) * 86_400_000
/** Open on one day of UTC alone, so many days from that one. */
const dayAhead = (ahead: number, time_zone = "UTC") => ({
  ...always,
  days: [dayNames[new Date(utcMidnight(ahead)).getUTCDay()]],
  time_zone,
})
const iso = (ms: number) => new Date(ms).toISOString()

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("calling windows (decisions §2)", (it) => {
  const test = (name: string, body: InAccount, settings: object = {}) =>
    it.effect(name, () => inAccountOfItsOwn(body, settings))

  const wrong = [
    ["/calling_window/days", { ...always, days: [] }],
    ["/calling_window/days/0", { ...always, days: ["someday"] }],
    ["/calling_window/end", { ...always, start: "09:00", end: "09:00" }],
    ["/calling_window/end", { ...always, start: "20:00", end: "09:00" }],
    ["/calling_window/start", { ...always, start: "24:01" }],
    ["/calling_window/time_zone", { ...always, time_zone: "Mars/Olympus" }],
    ["/calling_window/time_zone", { ...always, time_zone: "+02:00" }],
    ["/calling_window/start", { days: ["mon"], end: "10:00", time_zone: "UTC" }],
  ] as const

  test("one that can never open is refused on every way in, with its pointer", async (own, owner, {
    admin,
    account,
  }) => {
    const draft = await own.draft(numbersOf("01", 1))
    for (const [pointer, calling_window] of wrong) {
      const answers = [
        await own.upload("phone_number\n+14155550101\n", { calling_window: JSON.stringify(calling_window) }),
        await owner.put(`/api/v1/campaigns/${draft.id}`, { calling_window }),
        await admin.put(account, { calling_window }),
        await admin.post("/api/admin/accounts", { slug: "never-made", calling_window }),
      ]
      for (const { body, status } of answers) {
        assert.strictEqual(status, 400, JSON.stringify(calling_window))
        const pointers = body.errors!.map(({ pointer }: { pointer: string }) => pointer)
        assert.include(pointers, pointer, JSON.stringify(body.errors))
      }
    }
    assert.strictEqual((await own.get(draft.id)).calling_window, null)
    assert.strictEqual((await admin.get("/api/admin/accounts/never-made")).status, 404)
  })

  test("one in which no zone of the list has hours in common with the others is refused", async (own, owner) => {
    // A toll-free number may be anywhere from Guam to Puerto Rico.
    const csv = "phone_number\n+18005550101\n+18005550102\n"
    const calling_window = { ...always, start: "09:00", end: "10:00" }
    const refused = await own.upload(csv, { calling_window: JSON.stringify(calling_window) })
    assert.strictEqual(refused.status, 400)
    assert.strictEqual(refused.body.errors![0]!.pointer, "/calling_window")
    const draft = made(await own.upload(csv))
    const put = (change: object) => owner.put(`/api/v1/campaigns/${draft.id}`, change)
    assert.strictEqual((await put({ calling_window })).status, 400)
    assert.strictEqual((await put({ calling_window: { ...calling_window, time_zone: "UTC" } })).status, 200)
    // One contact can be called: the others are skipped when their turn comes.
    const some = await own.upload(`${csv}+442079460018\n`, { calling_window: JSON.stringify(calling_window) })
    assert.strictEqual(some.status, 201)
  })

  test("an account's is read back, holds for campaigns without one of their own, and null clears it", async (own, _, {
    admin,
    account,
  }) => {
    const calling_window = dayAhead(2)
    assert.deepStrictEqual<unknown>(made(await admin.put(account, { calling_window })).calling_window, calling_window)
    assert.deepStrictEqual<unknown>(made(await admin.get(account)).calling_window, calling_window)
    const waits = await own.running(numbersOf("01", 2))
    const free = await own.running(numbersOf("01", 2, 2_000), {
      calling_window: JSON.stringify({ ...always, time_zone: "UTC" }),
    })
    assert.deepInclude((await own.ended(free.id)).counts, { completed: 2 })
    await own.until(waits.id, ({ waiting_for }) => waiting_for === "calling_window")
    for (const contact of await own.contacts(waits.id)) {
      assert.deepInclude(contact, {
        status: "pending",
        attempts: 0,
        next_attempt_at: iso(utcMidnight(2)),
        waiting_for: "calling_window",
      })
    }
    assert.strictEqual(made(await admin.put(account, { calling_window: null })).calling_window, null)
    assert.deepInclude((await own.ended(waits.id)).counts, { completed: 2 })
  })

  test("contacts that an account's old window put off are looked at anew under its new one", async (own, _, {
    admin,
    account,
  }) => {
    made(await admin.put(account, { calling_window: dayAhead(2) }))
    const { id } = await own.running(numbersOf("01", 1))
    const next = (at: number) => until(async () => (await own.contacts(id))[0]?.next_attempt_at === iso(at))
    await next(utcMidnight(2))
    made(await admin.put(account, { calling_window: dayAhead(3) }))
    await next(utcMidnight(3))
    // A change that leaves the window as it is moves no contact.
    made(await admin.put(account, { calls_per_minute: 999, calling_window: dayAhead(3) }))
    assert.strictEqual((await own.contacts(id))[0]?.next_attempt_at, iso(utcMidnight(3)))
    await own.operate(id, "stop")
  })

  test("a draft's can be changed, and the change holds; a running one keeps its own", async (own, owner) => {
    const draft = await own.draft(numbersOf("01", 1), { calling_window: JSON.stringify(dayAhead(2)) })
    made(await owner.put(`/api/v1/campaigns/${draft.id}`, { calling_window: dayAhead(3) }))
    await own.operate(draft.id, "start")
    await own.until(draft.id, ({ waiting_for }) => waiting_for === "calling_window")
    const [contact] = await own.contacts(draft.id)
    assert.strictEqual(contact?.next_attempt_at, iso(utcMidnight(3)))
    const refused = await owner.put(`/api/v1/campaigns/${draft.id}`, { calling_window: null })
    assert.deepInclude(refused.body, { status: 409, code: "invalid_state" })
    await own.operate(draft.id, "stop")
  })

  test("the row's zone counts, else all of the number's; a contact whose zone is unknown is not dialled", async (own) => {
    // Where it is noon it is this day, and somewhere the next one already, or still the one before; for an hour at least.
    const now = new Date()
    const hour = now.getUTCHours()
    const inside = zoneOfNoon(now)
    const outside = hour < 11 ? "Etc/GMT+12" : "Etc/GMT-14"
    const csv = [
      "phone_number,time_zone",
      `+4930123456,${inside}`,
      `+4930123457,${outside}`,
      "+4930123458,Europe/Atlantis",
      "+999123456789,",
    ].join("\n")
    const calling_window = JSON.stringify({ ...always, days: [dayNames[now.getUTCDay()]] })
    const answer = await own.upload(`${csv}\n+14155550101,${inside}\n`, { calling_window })
    const { id, import: report } = made(answer)
    // An unknown zone is no fault of the row: it is accepted, and not dialled.
    assert.deepInclude(report, { rows: 5, accepted: 4, invalid: 1 })
    await own.operate(id, "start")
    await own.until(id, ({ counts }) => counts.in_progress === 0 && counts.pending <= 1)
    const [berlin, elsewhere, atlantis, lab] = await own.contacts(id)
    assert.strictEqual(berlin?.attempts, 1)
    assert.deepInclude(elsewhere, { attempts: 0, status: "pending", waiting_for: "calling_window" })
    assert.deepInclude(atlantis, { attempts: 0, status: "skipped", skip_reason: "outside_window", waiting_for: null })
    assert.strictEqual(lab?.attempts, 1)
    await own.operate(id, "stop")
  })

  test("a contact that waits for its next attempt says so, and until when", async (own) => {
    const { id } = await own.running(numbersOf("70", 1), { retries_per_contact: "1", retry_delay_seconds: "600" })
    await own.until(id, ({ waiting_for }) => waiting_for === "retry_delay")
    const [contact] = await own.contacts(id)
    assert.deepInclude(contact, { status: "pending", outcome: "busy", waiting_for: "retry_delay" })
    assert.isAbove(Date.parse(contact!.next_attempt_at!), Date.now() + 500_000)
    await own.operate(id, "stop")
  })
})
