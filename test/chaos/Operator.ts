/**
 * Those who work with Parley during a chaos run: each account has one operator, who makes campaigns and starts,
 * pauses, resumes, stops and changes them over the public API, and notes what was asked and what was answered.
 */
import type { Dice } from "./Dice.ts"
import type { AccountMade, Answer, Recorder } from "./History.ts"

export interface Operator {
  readonly account: AccountMade
  /** One thing after another until told to rest. */
  readonly work: (isOver: () => boolean) => Promise<void>
  /** Raises the caps, then starts or stops every draft and paused campaign of this operator. */
  readonly tidyUp: () => Promise<void>
  /** Campaigns that may be running. */
  readonly watched: () => ReadonlyArray<string>
  readonly token: string
}

export interface Asking {
  readonly recorder: Recorder
  /** The balancer's address. */
  readonly url: string
  readonly admin: (path: string, body: object) => Promise<Answered>
}

interface Answered {
  readonly status: number
  readonly body: any
}

/** An operator waits no longer than this for an answer. */
const patienceMs = 8_000

export const send = async (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object | FormData,
): Promise<Answered> => {
  const isForm = body instanceof FormData
  try {
    const response = await fetch(url + path, {
      method,
      headers: { connection: "close", ...headers, ...(body && !isForm ? { "content-type": "application/json" } : {}) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : null }
  } catch {
    return { status: 0, body: null }
  }
}

/** What an answer is kept for. */
const essence = (body: any): Record<string, any> | null =>
  body === null || body === undefined
    ? null
    : {
        id: body.id,
        status: body.status,
        code: body.code,
        accepted: body.import?.accepted,
        detail: body.detail,
        number: body.to,
        started_at: body.started_at,
      }

interface Known {
  readonly id: string
  readonly numbers: ReadonlyArray<string>
  state: "draft" | "running" | "paused" | "over"
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

let asked = 0

export interface Line {
  readonly agent_id: string
  readonly phone_number_id: string
}

export const make = (
  { admin, recorder, url }: Asking,
  account: AccountMade,
  token: string,
  line: Line,
  dice: Dice,
  /** Last digits of a number, which tell what it does. */
  digits: () => string,
  /** Contacts of a campaign. */
  most: number,
): Operator => {
  const headers = { authorization: `Bearer ${token}`, "x-account-id": account.account }
  const campaigns: Array<Known> = []
  const suppressed: Array<string> = []
  let numbers = 0
  /** `prefix` is all but five digits. */
  const number = () => `${account.prefix}${String(100 + (numbers++ % 900))}${digits()}`

  const noted = async (
    op: string,
    of: string | null,
    body: Record<string, any> | null,
    ask: () => Promise<Answered>,
  ): Promise<Answered> => {
    const n = asked++
    recorder.add({ t: "ask", n, account: account.account, op, of, body, at: Date.now() })
    const answered = await ask()
    const answer: Answer = {
      t: "answer",
      n,
      status: answered.status,
      body: essence(answered.body),
      at: Date.now(),
    }
    recorder.add(answer)
    // No process answered: an immediate retry would fail too.
    if (answered.status === 0) await pause(500)
    return answered
  }
  const post = (path: string, body?: object) => send(url, "POST", path, headers, body)
  const operate = async (op: "start" | "pause" | "resume" | "stop", campaign: Known) => {
    const answered = await noted(op, campaign.id, null, () => post(`/api/v1/campaigns/${campaign.id}/${op}`))
    const status = answered.body?.status
    if (answered.status === 200 && typeof status === "string") {
      campaign.state = status === "completed" || status === "failed" ? "over" : (status as Known["state"])
    }
    return answered
  }

  const create = async () => {
    const others = campaigns.flatMap((campaign) => campaign.numbers)
    const list = Array.from({ length: dice.whole(4, most) }, () =>
      others.length > 0 && dice.chance(0.06) ? dice.pick(others) : number(),
    )
    const soon = dice.chance(0.2) ? new Date(Date.now() + dice.whole(500, 5_000)).toISOString() : undefined
    const hour = (add: number) => `${String((new Date().getUTCHours() + add + 24) % 24).padStart(2, "0")}:00`
    const window = dice.chance(0.2)
      ? dice.chance(0.6)
        ? { ...everyDay, start: hour(-1), end: hour(2), time_zone: "UTC" }
        : { ...everyDay, start: hour(3), end: hour(5), time_zone: "UTC" }
      : undefined
    const fields: Record<string, string> = {
      name: `c${asked}`,
      ...line,
      max_concurrent_calls: String(dice.whole(1, Math.max(1, Math.floor(account.concurrent_max / 2)))),
      retries_per_contact: String(dice.whole(0, 3)),
      retry_delay_seconds: String(dice.whole(0, 4)),
      redial_unknown: String(dice.chance(0.3)),
      ...(soon === undefined ? {} : { scheduled_at: soon }),
      ...(window === undefined ? {} : { calling_window: JSON.stringify(window) }),
    }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append("contacts", new Blob([`phone_number\n${list.join("\n")}\n`], { type: "text/csv" }), "contacts.csv")
    const body = { ...fields, calling_window: window ?? null, rows: list.length }
    const made = await noted("create", null, body, () => send(url, "POST", "/api/v1/campaigns", headers, form))
    if (made.status !== 201) return
    const known: Known = { id: made.body.id, numbers: list, state: "draft" }
    campaigns.push(known)
    if (soon === undefined && dice.chance(0.9)) await operate("start", known)
  }

  const change = async (campaign: Known) => {
    const body = dice.pick<Record<string, number>>([
      { max_concurrent_calls: dice.whole(1, Math.max(1, Math.floor(account.concurrent_max / 2))) },
      { retries_per_contact: dice.whole(0, 3) },
      { retry_delay_seconds: dice.whole(0, 4) },
    ])
    await set(campaign, body)
  }
  const set = (campaign: Known, body: Record<string, number>) =>
    noted("change", campaign.id, body, () => send(url, "PUT", `/api/v1/campaigns/${campaign.id}`, headers, body))

  const caps = async (body: Record<string, number>) =>
    noted("caps", account.account, body, () => admin(`/api/admin/accounts/${account.account}`, body))

  const suppress = async () => {
    const candidates = campaigns.filter(({ state }) => state !== "over").flatMap((campaign) => campaign.numbers)
    if (candidates.length === 0) return
    const chosen = dice.pick(candidates)
    const answered = await noted("suppress", chosen, null, () =>
      post("/api/v1/suppressions", { phone_number: chosen, reason: "chaos" }),
    )
    if (answered.status === 201 || answered.status === 200) suppressed.push(chosen)
  }

  const unsuppress = async () => {
    const chosen = suppressed.shift()
    if (chosen === undefined) return
    const path = `/api/v1/suppressions/${encodeURIComponent(chosen)}`
    await noted("unsuppress", chosen, null, () => send(url, "DELETE", path, headers))
  }

  const call = async () => {
    const others = campaigns.flatMap((campaign) => campaign.numbers)
    const to = others.length > 0 && dice.chance(0.4) ? dice.pick(others) : number()
    const answered = await noted("call", to, null, () => post("/api/v1/calls", { ...line, to }))
    if (answered.status !== 201 || !dice.chance(0.3)) return
    const id = String(answered.body?.id)
    await noted("hangup", id, null, () => post(`/api/v1/calls/${id}/hangup`))
  }

  const remove = async (campaign: Known) => {
    const answered = await noted("delete", campaign.id, null, () =>
      send(url, "DELETE", `/api/v1/campaigns/${campaign.id}`, headers),
    )
    if (answered.status === 204 || answered.status === 404) campaign.state = "over"
  }

  const alive = () => campaigns.filter(({ state }) => state !== "over")

  const step = async () => {
    const there = alive()
    if (there.length < 3 || dice.chance(0.08)) return create()
    const campaign = dice.pick(there)
    const roll = dice.roll()
    if (roll < 0.16) return void (await operate("pause", campaign))
    if (roll < 0.36) return void (await operate(dice.chance(0.5) ? "resume" : "start", campaign))
    if (roll < 0.42) return void (await operate("stop", campaign))
    if (roll < 0.54) return change(campaign)
    if (roll < 0.66) return suppress()
    if (roll < 0.7) return unsuppress()
    if (roll < 0.84) return call()
    if (roll < 0.87) return remove(campaign)
    if (roll < 0.93) {
      const least = Math.ceil(account.concurrent_max / 2)
      return void (await caps({ concurrent_max: dice.whole(least, account.concurrent_max) }))
    }
    return refresh(campaign)
  }

  /** What became of it without the operator. */
  const refresh = async (campaign: Known) => {
    const found = await send(url, "GET", `/api/v1/campaigns/${campaign.id}`, headers)
    const status = found.body?.status
    if (found.status === 200) campaign.state = status === "completed" || status === "failed" ? "over" : status
    if (found.status === 404) campaign.state = "over"
  }

  const everyDay = { days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] }

  const work: Operator["work"] = async (isOver) => {
    while (!isOver()) {
      await step()
      await pause(dice.whole(50, 500))
    }
  }

  const tidyUp = async () => {
    const wide = { concurrent_max: account.concurrent_max * 2, calls_per_minute: 100_000, calls_per_day: 1_000_000 }
    for (let tries = 0; tries < 30; tries++) {
      const answered = await caps(wide)
      if (answered.status === 200) break
      await pause(500)
    }
    // Campaigns whose creation was never answered are the operator's too.
    for (let page = 0, more = true; more; page++) {
      const listed = await send(url, "GET", `/api/v1/campaigns?page=${page}&page_size=100`, headers)
      if (listed.status !== 200) {
        page--
        await pause(500)
        continue
      }
      for (const { id, status } of listed.body.items) {
        const known = campaigns.find((campaign) => campaign.id === id)
        if (known === undefined) campaigns.push({ id, numbers: [], state: status })
        else known.state = status === "completed" || status === "failed" ? "over" : status
      }
      more = listed.body.items.length === 100
    }
    for (const campaign of alive()) {
      // Each its share, so that the end comes soon.
      const share = Math.floor(wide.concurrent_max / alive().length)
      await set(campaign, { max_concurrent_calls: Math.max(1, share) })
      const found = await send(url, "GET", `/api/v1/campaigns/${campaign.id}`, headers)
      const isClosed = found.body?.calling_window !== null && found.body?.counts?.pending > 0
      // What waits for tomorrow is stopped, and some of the rest too; every other campaign has to come to its end.
      for (let tries = 0; tries < 30; tries++) {
        const op = isClosed || dice.chance(0.1) ? "stop" : campaign.state === "running" ? undefined : "start"
        if (op === undefined) break
        const answered = await operate(op, campaign)
        // A full budget is not a failure: the waiting campaign is stopped.
        if (answered.status === 409) await operate("stop", campaign)
        if (answered.status === 200 || answered.status === 409) break
        await pause(500)
      }
    }
  }

  return { account, work, tidyUp, token, watched: () => alive().map(({ id }) => id) }
}
