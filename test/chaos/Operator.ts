/**
 * The users of Parley in a chaos run. Each account has one operator, who creates campaigns and starts, pauses, resumes,
 * stops and changes them over the public API. The operator's next action is drawn by dice (`#deeds`).
 */
import { chooseOrder, chooseSlots, toForm } from "./CampaignOrder.ts"
import type { Dice } from "./Dice.ts"
import type { AccountMade, Recorder } from "./History.ts"
import { type Answered, NotedRequests, pause } from "./NotedRequests.ts"

export interface Asking {
  readonly recorder: Recorder
  /** The balancer's URL. */
  readonly url: string
  readonly admin: (path: string, body: object) => Promise<Answered>
}

export interface Line {
  readonly agent_id: string
  readonly phone_number_id: string
}

export interface Employment {
  readonly account: AccountMade
  /** An API key of the account. */
  readonly token: string
  readonly line: Line
  readonly dice: Dice
  /** The last digits of a number, which determine its behaviour. */
  readonly digits: () => string
  /** The most contacts of a campaign. */
  readonly most: number
}

interface Known {
  readonly id: string
  readonly numbers: ReadonlyArray<string>
  state: "draft" | "running" | "paused" | "over"
}

const stateOf = (status: string): Known["state"] =>
  status === "completed" || status === "failed" ? "over" : (status as Known["state"])

/** Below this many campaigns that are not over, an operator creates one. */
const fewestCampaigns = 3
/** How often a request of the clean-up is repeated, with a pause, until it succeeds. */
const cleanUpTries = 30
const cleanUpPauseMs = 500
const pageSize = 100

export class Operator {
  readonly account: AccountMade
  readonly token: string
  readonly #employment: Employment
  readonly #dice: Dice
  readonly #requests: NotedRequests
  readonly #admin: Asking["admin"]
  readonly #campaigns: Array<Known> = []
  readonly #suppressed: Array<string> = []
  #orders = 0
  #numbers = 0

  constructor({ admin, recorder, url }: Asking, employment: Employment) {
    const { account, dice, token } = employment
    this.account = account
    this.token = token
    this.#employment = employment
    this.#dice = dice
    this.#requests = new NotedRequests(url, account.account, token, recorder)
    this.#admin = admin
  }

  /** Campaigns that may be running. */
  watched(): ReadonlyArray<string> {
    return this.#alive.map(({ id }) => id)
  }

  /** Does one action after another until the run is over. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#step()
      await pause(this.#dice.whole(50, 500))
    }
  }

  /** Raises the caps, then starts or stops every campaign that is not over, so that each comes to its end. */
  async tidyUp(): Promise<void> {
    const wide = {
      concurrent_max: this.account.concurrent_max * 4,
      calls_per_minute: 100_000,
      calls_per_day: 1_000_000,
    }
    await repeatUntil(async () => (await this.#changeCaps(wide)).status === 200)
    await this.#findAll()
    for (const campaign of this.#alive) await this.#finish(campaign, wide.concurrent_max)
  }

  /** The action for a roll from 0 to 1: the first one whose bound is above the roll. */
  readonly #deeds: ReadonlyArray<readonly [below: number, deed: (campaign: Known) => Promise<unknown>]> = [
    [0.16, (campaign) => this.#operate("pause", campaign)],
    [0.36, (campaign) => this.#operate(this.#dice.chance(0.5) ? "resume" : "start", campaign)],
    [0.42, (campaign) => this.#operate("stop", campaign)],
    [0.54, (campaign) => this.#changeOneSetting(campaign)],
    [0.66, () => this.#suppress()],
    [0.7, () => this.#unsuppress()],
    [0.84, () => this.#call()],
    [0.87, (campaign) => this.#remove(campaign)],
    [0.93, () => this.#narrowCaps()],
    [1, (campaign) => this.#refresh(campaign)],
  ]

  async #step(): Promise<void> {
    const there = this.#alive
    if (there.length < fewestCampaigns || this.#dice.chance(0.08)) return this.#create()
    const campaign = this.#dice.pick(there)
    const roll = this.#dice.roll()
    await this.#deeds.find(([below]) => roll < below)?.[1](campaign)
  }

  get #alive(): ReadonlyArray<Known> {
    return this.#campaigns.filter(({ state }) => state !== "over")
  }

  /** A number that no other campaign has: the account's prefix, three digits, and the digits of its behaviour. */
  #newNumber(): string {
    return `${this.account.prefix}${String(100 + (this.#numbers++ % 900))}${this.#employment.digits()}`
  }

  get #usedNumbers(): ReadonlyArray<string> {
    return this.#campaigns.flatMap(({ numbers }) => numbers)
  }

  #post(path: string, body?: object): Promise<Answered> {
    return this.#requests.send("POST", path, body)
  }

  async #create(): Promise<void> {
    const order = chooseOrder(this.#dice, {
      name: `c${this.#orders++}`,
      line: this.#employment.line,
      concurrent_max: this.account.concurrent_max,
      most: this.#employment.most,
      others: this.#usedNumbers,
      newNumber: () => this.#newNumber(),
    })
    const noted = { ...order.fields, calling_window: order.window, rows: order.numbers.length }
    const made = await this.#requests.note("create", null, noted, () =>
      this.#requests.send("POST", "/api/v1/campaigns", toForm(order)),
    )
    if (made.status !== 201) return
    const known: Known = { id: made.body.id, numbers: order.numbers, state: "draft" }
    this.#campaigns.push(known)
    if (!order.isScheduled && this.#dice.chance(0.9)) await this.#operate("start", known)
  }

  async #operate(op: "start" | "pause" | "resume" | "stop", campaign: Known): Promise<Answered> {
    const path = `/api/v1/campaigns/${campaign.id}/${op}`
    const answered = await this.#requests.note(op, campaign.id, null, () => this.#post(path))
    const status = answered.body?.status
    if (answered.status === 200 && typeof status === "string") campaign.state = stateOf(status)
    return answered
  }

  #changeOneSetting(campaign: Known): Promise<Answered> {
    const dice = this.#dice
    const body = dice.pick<Record<string, number>>([
      { max_concurrent_calls: chooseSlots(dice, this.account.concurrent_max) },
      { retries_per_contact: dice.whole(0, 3) },
      { retry_delay_seconds: dice.whole(0, 4) },
    ])
    return this.#change(campaign, body)
  }

  #change(campaign: Known, body: Record<string, number>): Promise<Answered> {
    const path = `/api/v1/campaigns/${campaign.id}`
    return this.#requests.note("change", campaign.id, body, () => this.#requests.send("PUT", path, body))
  }

  #changeCaps(body: Record<string, number>): Promise<Answered> {
    const slug = this.account.account
    return this.#requests.note("caps", slug, body, () => this.#admin(`/api/admin/accounts/${slug}`, body))
  }

  #narrowCaps(): Promise<Answered> {
    const { concurrent_max } = this.account
    return this.#changeCaps({ concurrent_max: this.#dice.whole(Math.ceil(concurrent_max / 2), concurrent_max) })
  }

  async #suppress(): Promise<void> {
    const candidates = this.#alive.flatMap(({ numbers }) => numbers)
    if (candidates.length === 0) return
    const chosen = this.#dice.pick(candidates)
    const answered = await this.#requests.note("suppress", chosen, null, () =>
      this.#post("/api/v1/suppressions", { phone_number: chosen, reason: "chaos" }),
    )
    if (answered.status === 201 || answered.status === 200) this.#suppressed.push(chosen)
  }

  async #unsuppress(): Promise<void> {
    const chosen = this.#suppressed.shift()
    if (chosen === undefined) return
    const path = `/api/v1/suppressions/${encodeURIComponent(chosen)}`
    await this.#requests.note("unsuppress", chosen, null, () => this.#requests.send("DELETE", path))
  }

  async #call(): Promise<void> {
    const others = this.#usedNumbers
    const to = others.length > 0 && this.#dice.chance(0.4) ? this.#dice.pick(others) : this.#newNumber()
    const order = { ...this.#employment.line, to }
    const answered = await this.#requests.note("call", to, null, () => this.#post("/api/v1/calls", order))
    if (answered.status !== 201 || !this.#dice.chance(0.3)) return
    const id = String(answered.body?.id)
    await this.#requests.note("hangup", id, null, () => this.#post(`/api/v1/calls/${id}/hangup`))
  }

  async #remove(campaign: Known): Promise<void> {
    const path = `/api/v1/campaigns/${campaign.id}`
    const answered = await this.#requests.note("delete", campaign.id, null, () => this.#requests.send("DELETE", path))
    if (answered.status === 204 || answered.status === 404) campaign.state = "over"
  }

  /** Reads the campaign's state, which may have changed without the operator. */
  async #refresh(campaign: Known): Promise<void> {
    const found = await this.#requests.send("GET", `/api/v1/campaigns/${campaign.id}`)
    if (found.status === 200) campaign.state = stateOf(found.body?.status)
    if (found.status === 404) campaign.state = "over"
  }

  /** Reads all campaigns of the account, including those whose creation was never answered. */
  async #findAll(): Promise<void> {
    for (let page = 0, more = true; more; page++) {
      const items = await repeatUntil(async () => {
        const listed = await this.#requests.send("GET", `/api/v1/campaigns?page=${page}&page_size=${pageSize}`)
        return listed.status === 200 && (listed.body.items as ReadonlyArray<{ id: string; status: string }>)
      }, Infinity)
      for (const { id, status } of items || []) {
        const known = this.#campaigns.find((campaign) => campaign.id === id)
        if (known === undefined) this.#campaigns.push({ id, numbers: [], state: stateOf(status) })
        else known.state = stateOf(status)
      }
      more = items !== false && items.length === pageSize
    }
  }

  /** Lets a campaign run to its end, or stops it: always if its contacts wait for tomorrow, otherwise sometimes. */
  async #finish(campaign: Known, slots: number): Promise<void> {
    // Each campaign gets its share and few retries, so that the end comes soon: with one slot and three retries, two
    // people who never answer took 33 s eight times.
    const share = Math.floor(slots / this.#alive.length)
    await this.#change(campaign, { max_concurrent_calls: Math.max(1, share), retries_per_contact: 1 })
    const found = await this.#requests.send("GET", `/api/v1/campaigns/${campaign.id}`)
    const isClosed = found.body?.calling_window !== null && found.body?.counts?.pending > 0
    await repeatUntil(async () => {
      const isToStop = isClosed || this.#dice.chance(0.1)
      if (!isToStop && campaign.state === "running") return true
      const { status } = await this.#operate(isToStop ? "stop" : "start", campaign)
      // A full budget is not a failure: the waiting campaign is stopped instead.
      if (status === 409) await this.#operate("stop", campaign)
      return status === 200 || status === 409
    })
  }
}

/** Repeats `attempt`, with pauses, until it returns anything but false. Returns that, or false after the last try. */
const repeatUntil = async <Result>(attempt: () => Promise<Result>, tries = cleanUpTries): Promise<Result | false> => {
  for (let at = 0; at < tries; at++) {
    const result = await attempt()
    if (result !== false) return result
    await pause(cleanUpPauseMs)
  }
  return false
}
