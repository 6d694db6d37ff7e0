/**
 * Calls are cut at random moments while their tools run: hung up, stopped with their campaign, moved to another process
 * and killed with theirs. Every effect outside is made once and is in its call's record (decision 0070).
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { campaigner, numbersOf } from "../support/Campaigner.ts"
import { http } from "../support/Catalog.ts"
import { dose } from "../support/Dose.ts"
import { made } from "../support/Fixtures.ts"
import type { Member } from "../support/Fleet.ts"
import { Parts, parts, type Stage, staged } from "../support/MovingChats.ts"
import { type Receiver, receiver } from "../support/Receiver.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const rounds = dose(2, 2, 36)
const callsOfRound = dose(20, 20, 200)
const chatsOfRound = dose(4, 4, 40)
/** Milliseconds: how long the shop works on an order, and when a call is cut after its order has arrived, at most. */
const longestWork = 1_500
const latestCut = 1_800
/** Milliseconds after which a process is killed, whatever it does. */
const longestRound = 20_000

const prompt = "You are Rosa. Book what is asked for.\nOrder number: ref={{ref}}."

interface Effects {
  /** The keys of the effects of each order. */
  readonly made: Map<string, Array<string>>
  /** The orders that the shop works on. */
  readonly open: Set<string>
}

interface Cuts {
  all: number
  /** Those that came while the shop worked on the order. */
  inProgress: number
}

/**
 * A shop with two doors. At `/safe` it acts once on requests with the same key; at `/plain` it acts on every request.
 * `arrived` is called when an order is there for the first time.
 */
const open = (shop: Receiver, arrived: (ref: string) => void): Effects => {
  const effects: Effects = { made: new Map(), open: new Set() }
  const answers = new Map<string, Promise<void>>()
  const act = (ref: string, key: string): Promise<void> => {
    effects.made.set(ref, [...(effects.made.get(ref) ?? []), key])
    effects.open.add(ref)
    arrived(ref)
    return pause(Math.random() * longestWork).then(() => void effects.open.delete(ref))
  }
  for (const path of ["/safe", "/plain"]) {
    shop.answer(path, (response, { body, headers }) => {
      const { ref } = JSON.parse(body)
      const key = headers["idempotency-key"] ?? ""
      const done = (path === "/safe" ? answers.get(key) : undefined) ?? act(ref, key)
      answers.set(key, done)
      void done.then(() =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ booked: ref })),
      )
    })
  }
  return effects
}

const asked = new Set<string>()

/**
 * The agent asks for its order until it has read a tool's result. On the phone it asks once, because the caller may
 * talk while the tool runs.
 */
const answerOf = (safe: string, plain: string) => (body: string) => {
  const [, ref = ""] = /ref=(\w+)/u.exec(body) ?? []
  if (body.includes('"role":"tool"')) return { says: "It is booked. Goodbye." }
  if (ref.startsWith("phone") && asked.has(ref)) return { says: "One moment." }
  asked.add(ref)
  return { calls: [{ name: ref.endsWith("s") ? safe : plain, args: { ref } }] }
}

const equipped = async ({ all, owner, account, one }: Stage, shop: Receiver) => {
  const safe = made(
    await owner.post("/api/tools", http({ url: shop.at("/safe"), timeout_ms: 30_000, idempotent: true })),
  )
  const plain = made(await owner.post("/api/tools", http({ url: shop.at("/plain"), timeout_ms: 30_000 })))
  const model = { provider: "openai-compatible", id: "m" }
  const admin = await speak(one.url).admin()
  made(await admin.put(`/api/admin/accounts/${account}`, { concurrent_max: 3 * callsOfRound }))
  const own = await campaigner(await speak(one.url).ownerOf(account), { model, system_prompt: prompt })
  for (const { name } of [safe, plain]) {
    made(await owner.post(`/api/agents/${own.line.agent_id}/tools`, { tool_name: name }))
  }
  const key = made(
    await owner.post("/api/v1/widget-keys", {
      name: "p",
      kind: "public",
      agent_id: own.line.agent_id,
      origins: ["https://www.example.com"],
    }),
  ).key
  const rows = (statement: string) => all.query(account, statement)
  return { own, safe: safe.name, plain: plain.name, key, rows }
}

type Equipped = Awaited<ReturnType<typeof equipped>>

let next = 0
/** An order number. Its last letter says through which door it goes. */
const newRef = (by: "chat" | "phone") => `${by}${next++}${Math.random() < 0.5 ? "s" : "p"}`

/** Hangs up calls some time after their orders have arrived. */
const hangUpLater = (stage: Stage, { rows }: Equipped) => {
  const waiting = new Map<string, () => void>()
  const stopped = new AbortController()
  const look = async () => {
    while (!stopped.signal.aborted) {
      await pause(200)
      if (waiting.size === 0) continue
      const live = await rows(`
        select c.id, k.custom_fields ->> 'ref' as ref
        from calls c join contacts k on k.id = c.contact_id where c.ended_at is null`)
      for (const { id, ref } of live) {
        const cut = waiting.get(String(ref))
        if (cut === undefined) continue
        waiting.delete(String(ref))
        void pause(Math.random() * latestCut).then(() => {
          cut()
          return stage.owner.post(`/api/v1/calls/${String(id)}/hangup`, {})
        })
      }
    }
  }
  const looking = look()
  return {
    hangUp: (ref: string, cut: () => void) => void waiting.set(ref, cut),
    stop: () => {
      stopped.abort()
      return looking
    },
  }
}

/** A chat at `victim` whose page reaches the second process in the middle of the order. */
const movingChat = async (
  stage: Stage,
  { key }: Equipped,
  victim: Member,
  ref: string,
  arrived: Promise<void>,
  cut: () => void,
) => {
  const page = await stage.page(victim, {}, key)
  const { resume } = await page.next("ready")
  page.write(`Please book ref=${ref}`, "m1")
  await Promise.race([arrived, page.closed])
  await pause(Math.random() * latestCut)
  cut()
  const second = await stage.page(stage.two, { resume, after: 0 }, key)
  await Promise.race([second.next("ready"), second.closed])
  await pause(Math.random() * latestCut)
  cut()
  second.send({ type: "end" })
}

it.layer(parts, { timeout: "240 seconds", excludeTestServices: true })("tools that change something", (it) => {
  it.effect(
    "act once and are recorded, wherever their calls are cut",
    () =>
      Effect.gen(function* () {
        const shop = yield* Effect.acquireRelease(Effect.promise(receiver), ({ close }) => Effect.sync(close))
        const all = yield* Parts
        yield* Effect.promise(() => staged(all, (stage) => cutAnywhere(stage, shop)))
      }),
    { timeout: 3_600_000 },
  )
})

const cutAnywhere = async (stage: Stage, shop: Receiver) => {
  const on = await equipped(stage, shop)
  const arrivals = new Map<string, () => void>()
  const effects = open(shop, (ref) => arrivals.get(ref)?.())
  const later = hangUpLater(stage, on)
  const cuts: Cuts = { all: 0, inProgress: 0 }
  const cut = (ref: string) => {
    cuts.all++
    if (effects.open.has(ref)) cuts.inProgress++
  }
  let victim = await stage.all.join()
  for (let round = 0; round < rounds; round++) {
    stage.models.begin(answerOf(on.safe, on.plain))
    const next = round + 1 < rounds ? stage.all.join() : Promise.resolve(victim)
    const phones = Array.from({ length: callsOfRound }, () => newRef("phone"))
    for (const ref of phones) arrivals.set(ref, () => later.hangUp(ref, () => cut(ref)))
    const campaign = await campaignOf(on, phones, round * callsOfRound)
    const chats = Array.from({ length: chatsOfRound }, () => newRef("chat"))
    const moved = chats.map((ref) => {
      const arrived = new Promise<void>((resolve) => void arrivals.set(ref, resolve))
      return movingChat(stage, on, victim, ref, arrived, () => cut(ref)).catch(() => undefined)
    })
    const areOnTheirWay = until(() => chats.filter((ref) => effects.made.has(ref)).length >= chats.length / 2)
    // Calls of earlier rounds may hold the slots until their ends are written.
    await Promise.race([areOnTheirWay, pause(longestRound)])
    await pause(Math.random() * latestCut)
    for (const ref of chats) cut(ref)
    victim.child.kill("SIGKILL")
    await pause(Math.random() * latestCut)
    await on.own.operate(campaign, "stop")
    await Promise.race([Promise.all(moved), pause(10_000)])
    victim = await next
  }
  await settled(stage, on)
  await later.stop()
  await judge(on, effects, cuts)
  victim.child.kill("SIGKILL")
}

/** Starts a campaign that calls one phone for each order, and returns its id. */
const campaignOf = async ({ own }: Equipped, refs: ReadonlyArray<string>, from: number): Promise<string> => {
  const csv = numbersOf("00", refs.length, from).map((number, at) => `${number},${refs[at]}`)
  const fields = { retries_per_contact: "0", max_concurrent_calls: String(refs.length) }
  const { id } = made(await own.upload(["phone_number,ref", ...csv].join("\n"), fields))
  made(await own.operate(id, "start"))
  return id
}

/** Hangs up what is left, and waits until no call lives and every result is in its call. */
const settled = async (stage: Stage, { rows }: Equipped) => {
  await until(async () => {
    await pause(500)
    const live = await rows("select id from calls where ended_at is null")
    await Promise.all(live.map(({ id }) => stage.owner.post(`/api/v1/calls/${String(id)}/hangup`, {})))
    return live.length === 0 && (await rows("select from tool_requests")).length === 0
  })
}

interface Kept {
  readonly id: string
  readonly result?: unknown
  readonly error?: { readonly code: string }
}

const judge = async ({ rows }: Equipped, { made: effects }: Effects, cuts: Cuts) => {
  const invocations = new Map<string, Kept>()
  const counts = new Map<string, number>()
  for (const { list } of await rows("select tool_invocations as list from calls")) {
    for (const invocation of list as ReadonlyArray<Kept>) {
      invocations.set(invocation.id, invocation)
      counts.set(invocation.id, (counts.get(invocation.id) ?? 0) + 1)
    }
  }
  const doubled = [...effects].filter(([, keys]) => keys.length > 1)
  const lost = [...effects].filter(([ref, keys]) =>
    keys.some((key) => {
      const found = invocations.get(key)
      const isKnown = JSON.stringify(found?.result) === JSON.stringify({ booked: ref })
      return !isKnown && (ref.endsWith("s") || found?.error?.code !== "interrupted")
    }),
  )
  const unknown = [...invocations.values()].filter(({ error }) => error?.code === "interrupted").length
  const summary = { orders: effects.size, cuts, unknown, doubled: doubled.length, lost: lost.length }
  // oxlint-disable-next-line no-console -- the figures of docs/benchmarks.md
  console.log(JSON.stringify(summary))
  assert.deepStrictEqual([doubled, lost], [[], []], JSON.stringify(summary))
  assert.deepStrictEqual(
    [...counts.values()].filter((count) => count > 1),
    [],
  )
  assert.isAbove(cuts.inProgress, 0)
}
