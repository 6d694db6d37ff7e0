/**
 * Contacts that are added while their campaign dials: how many a second four clients add in batches of a hundred, how
 * long a batch takes, and what the additions cost the dial path, which is as busy as it can be.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { form, prepare } from "./support/Dialling.ts"
import { median, ms, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, table } from "./support/Report.ts"

const caps = { concurrent_max: 2_000, calls_per_minute: 1_000_000, calls_per_day: 1_000_000 }
const clients = 4
const batch = 100

/** Numbers that are busy: in the lab their calls end at once. */
const numberOf = (at: number) => `+4915${1_000_000 + at}${70 + (at % 5)}`

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      /** Enough that the campaign dials until the last phase is over. */
      listed: { type: "string", default: "300000" },
      /** The length of each phase. */
      seconds: { type: "string", default: "6" },
      /** Rows a second of all clients. */
      pace: { type: "string", default: "1000" },
    },
  })
  const [listed, seconds, pace] = [Number(values.listed), Number(values.seconds), Number(values.pace)]
  const postgres = await Postgres.start()
  const parley = await Parley.start(postgres, { env: { LAB_SPEED: "1000" } })
  const client = await parley.account("lists", caps)
  const rows = Array.from({ length: listed }, (_, at) => `${numberOf(at)},Ada${at}`)
  const fields = { name: "lists", max_concurrent_calls: "2000", ...(await prepare(client)) }
  const csv = Buffer.from(["phone_number,first_name", ...rows].join("\n"))
  const { id } = await client.request("POST", "/api/v1/campaigns", form(fields, csv))
  await client.request("POST", `/api/v1/campaigns/${id}/start`)
  const database = await parley.databaseOf("lists")
  const countCalls = async () => (await postgres.query(database, "select count(*)::int as calls from calls"))[0].calls
  const contacts = `/api/v1/campaigns/${id}/contacts`
  let next = listed

  const measure = async (rate: number): Promise<Rates> => {
    const [before, began] = [await countCalls(), performance.now()]
    const end = began + seconds * 1_000
    const batches: Array<number> = []
    let sent = 0
    const add = async () => {
      while (performance.now() < end) {
        const due = began + (sent / rate) * 1_000 - performance.now()
        sent += batch
        const from = (next += batch) - batch
        if (due > 0) await sleep(due)
        const body = { contacts: Array.from({ length: batch }, (_, row) => contactAt(from + row)) }
        const at = performance.now()
        await client.request("POST", contacts, body)
        batches.push(performance.now() - at)
      }
    }
    await (rate === 0 ? sleep(seconds * 1_000) : Promise.all(Array.from({ length: clients }, add)))
    const took = (performance.now() - began) / 1_000
    return { dialled: ((await countCalls()) - before) / took, added: (batches.length * batch) / took, batches }
  }

  await measure(0)
  const alone = await measure(0)
  const paced = await measure(pace)
  const unpaced = await measure(Infinity)
  await client.request("POST", `/api/v1/campaigns/${id}/stop`)
  await parley.stop()
  heading(`Additions to a campaign that dials: ${clients} clients, batches of ${batch}, ${seconds} s each`)
  table(
    ["what", "dialled a second", "added a second", "a batch, median", "slowest batch"],
    [
      ["no additions", whole(alone.dialled), "-", "-", "-"],
      [`${whole(pace)} a second`, ...cells(paced)],
      ["as fast as they can", ...cells(unpaced)],
    ],
  )
  machine()
  await postgres.stop()
}

const contactAt = (at: number) => ({
  phone_number: numberOf(at),
  external_id: `lead-${at}`,
  custom_fields: { first_name: `Eva${at}` },
})

interface Rates {
  readonly dialled: number
  readonly added: number
  readonly batches: ReadonlyArray<number>
}

const cells = ({ added, batches, dialled }: Rates) => [
  ...[whole(dialled), whole(added)],
  ...[ms(median(batches)), ms(Math.max(...batches))],
]
