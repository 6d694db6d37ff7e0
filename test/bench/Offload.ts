/** What work on tenants' input costs the event loop: on the loop within its budget, and in a worker. */
import { Effect, type Schema } from "effect"
import * as JsonSchema from "../../src/catalog/JsonSchema.ts"
import * as Template from "../../src/catalog/Template.ts"
import { median, percentile, whole } from "./support/Numbers.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** A typical schema of a tool. `args` are the arguments that an agent sends. */
const schema = {
  type: "object",
  required: ["day", "guests", "name"],
  additionalProperties: false,
  properties: {
    day: { type: "string", format: "date" },
    guests: { type: "integer", minimum: 1, maximum: 20 },
    name: { type: "string", minLength: 1, maxLength: 200 },
    phone: { type: "string", pattern: "^\\+[1-9]\\d{6,14}$" },
    wishes: { type: "array", items: { enum: ["window", "quiet", "high chair"] }, uniqueItems: true },
  },
}
const args = { day: "2027-03-14", guests: 4, name: "Ada Lovelace", phone: "+14155550100", wishes: ["window", "quiet"] }
const prompt = "You call {{ first_name }} of {{ company }}. {% if vip %}Be brief.{% endif %} ".repeat(20)
const loop = `${prompt}{% for i in (1..20000) %}{{ i }} {% endfor %}`
const variables = { first_name: "Ada", company: "Analytical Engines", vip: true }

const listOf = (count: number): Schema.JsonObject => ({ list: Array.from({ length: count }, (_, at) => `item ${at}`) })
const unique = { type: "object", properties: { list: { uniqueItems: true } } }

const kinds: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
  ["arguments of 5 members, in a worker", JsonSchema.faultsOf(schema, args)],
  ["a prompt of 1.5 KB, on the loop", Template.render(prompt, variables)],
  ["1,500 unique items, in a worker", JsonSchema.faultsOf(unique, listOf(1_500))],
  ["9,500 unique items, in a worker", JsonSchema.faultsOf(unique, listOf(9_500))],
  ["a prompt with a loop of 20,000, in a worker", Template.render(loop, variables)],
]

const rounds = 200

/** Times in microseconds: the mean processor time of the thread, whose clock is coarse, and each wall-clock time. */
const measure = async (work: Effect.Effect<unknown, unknown>) => {
  const walls: Array<number> = []
  const before = process.threadCpuUsage()
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await Effect.runPromise(work)
    walls.push((performance.now() - began) * 1_000)
  }
  const { system, user } = process.threadCpuUsage(before)
  return { own: (user + system) / rounds, walls }
}

export const run = async () => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, work] of kinds) {
    await measure(work)
    const { own, walls } = await measure(work)
    rows.push([name, ...[own, median(walls), percentile(walls, 0.99)].map(us)])
  }
  heading(`Work on tenants' input: ${rounds} times each, after as many to warm up`)
  table(["work", "own time", "on the wall p50", "p99"], rows)
  note("Own time is the processor time of the event loop's thread, the answer's reading included.")
  machine()
}

const us = (microseconds: number) => `${whole(microseconds)} µs`
