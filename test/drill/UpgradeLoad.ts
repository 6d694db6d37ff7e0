/** What an upgrade must not disturb: clients that read and write, and campaigns that dial. */
import { campaignForm } from "../support/Fixtures.ts"
import type { Balancer } from "./Balancer.ts"
import type { Account, Dialled } from "./Installation.ts"
import type { Options } from "./Options.ts"

/** Contacts of a campaign, more than the run can dial. */
const contacts = 5_000
const workers = 6

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const numberOf = (campaign: number, contact: number) => `+1415${campaign + 2}${String(contact).padStart(4, "0")}01`

/** Starts a campaign of the account and returns its id. `at` decides its numbers. */
export const startCampaign = async (balancer: Balancer, account: Account, at: number): Promise<string> => {
  const numbers = Array.from({ length: contacts }, (_, contact) => numberOf(at, contact))
  const form = campaignForm(
    { name: "upgrade", ...account.line, max_concurrent_calls: "4" },
    `phone_number\n${numbers.join("\n")}\n`,
  )
  const made = await balancer.send("POST", "/api/v1/campaigns", account.headers, form)
  const started = await balancer.send("POST", `/api/v1/campaigns/${made.body.id}/start`, account.headers)
  if (started.status !== 200) throw new Error(`The campaign did not start: ${JSON.stringify([made, started])}`)
  return made.body.id
}

interface Answered {
  readonly status: number
  readonly ms: number
  readonly path: string
  readonly body: unknown
}

/** Starts clients that read and write in every account, each with one request at a time. */
export const startLoad = (balancer: Balancer, accounts: ReadonlyArray<Account>) => {
  const answers: Array<Answered> = []
  const state = { isOver: false }
  const paths = ["/api/agents", "/api/v1/campaigns", "/api/v1/calls?page_size=20", "/api/phone-numbers", "/api/tools"]
  const work = async (worker: number) => {
    for (let turn = worker; !state.isOver; turn++) {
      const { headers } = accounts[turn % accounts.length] as Account
      const isWrite = turn % 4 === 0
      const path = isWrite ? "/api/faqs" : (paths[turn % paths.length] ?? "")
      const body = isWrite ? { question: `Question ${worker} ${turn}?`, answer: "Yes." } : undefined
      const answer = await balancer.send(isWrite ? "POST" : "GET", path, headers, body)
      answers.push({ status: answer.status, ms: answer.ms, path, body: answer.status >= 400 ? answer.body : "" })
      await pause(50)
    }
  }
  const working = Array.from({ length: workers }, (_, at) => work(at))
  return {
    stop: async () => {
      state.isOver = true
      await Promise.all(working)
      return answers
    },
  }
}

/** The longest time without a call of the campaign between these two moments, in milliseconds. */
export const longestPause = (
  dialled: ReadonlyArray<Dialled>,
  campaign: number,
  from: number,
  until: number,
): { readonly at: number; readonly ms: number } => {
  const prefix = numberOf(campaign, 0).slice(0, 6)
  const times = dialled.flatMap(({ at, number }) =>
    number.startsWith(prefix) && at >= from && at <= until ? [at] : [],
  )
  const starts = [from, ...times]
  const pauses = starts.map((at, index) => ({ at, ms: (times[index] ?? until) - at }))
  return pauses.reduce((longest, one) => (one.ms > longest.ms ? one : longest))
}

/** Counts the answers that an upgrade must not give, and logs the first of them. */
export const failed = (answers: ReadonlyArray<Answered>, log: Options["log"]): number => {
  const failures = answers.filter(({ status }) => status >= 500 || status === 0)
  for (const { body, path, status } of failures.slice(0, 5)) log(`${path} answered ${status}: ${JSON.stringify(body)}`)
  return failures.length
}

export const dialledTwice = (dialled: ReadonlyArray<Dialled>): number =>
  dialled.length - new Set(dialled.map(({ number }) => number)).size
