/** pg-boss on the benchmark's PostgreSQL: the same number of jobs through its fastest loop, which works in batches. */
import PgBoss from "pg-boss"

interface Question {
  readonly url: string
  readonly jobs: number
  readonly batch: number
}

const { batch, jobs, url }: Question = JSON.parse(process.argv[2] ?? "")
const queue = "calls"
const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false })
await boss.start()
await boss.createQueue(queue)
for (let at = 0; at < jobs; at += 10_000) {
  const many = Array.from({ length: Math.min(10_000, jobs - at) }, (_, job) => ({
    name: queue,
    data: { phone_number: `+49151${10_000_000 + at + job}` },
  }))
  await boss.insert(many)
}

let done = 0
const worker = async () => {
  while (true) {
    const fetched = await boss.fetch(queue, { batchSize: batch })
    if (fetched.length === 0) return
    await boss.complete(
      queue,
      fetched.map(({ id }) => id),
    )
    done += fetched.length
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: 4 }, worker))
const ms = performance.now() - began
await boss.stop()
console.log(JSON.stringify({ done, ms }))
process.exit(0)
