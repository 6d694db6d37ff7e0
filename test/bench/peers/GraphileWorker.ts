/** graphile-worker on the benchmark's PostgreSQL: the same number of jobs through tasks that do nothing. */
import { Logger, makeWorkerUtils, runOnce } from "graphile-worker"

interface Question {
  readonly url: string
  readonly jobs: number
}

const { jobs, url }: Question = JSON.parse(process.argv[2] ?? "")
const logger = new Logger(() => () => {})
const utils = await makeWorkerUtils({ connectionString: url, logger })
await utils.migrate()
await utils.withPgClient((client) =>
  client.query(
    `select graphile_worker.add_jobs(array(
       select row('call', json_build_object('phone_number', '+49151' || (10000000 + at)), null, null, null, null, null, null)
         ::graphile_worker.job_spec from generate_series(1, $1::int) at))`,
    [jobs],
  ),
)
let done = 0
const began = performance.now()
await runOnce({
  connectionString: url,
  logger,
  concurrency: 20,
  maxPoolSize: 20,
  noHandleSignals: true,
  taskList: { call: () => void done++ },
})
const ms = performance.now() - began
await utils.release()
console.log(JSON.stringify({ done, ms }))
process.exit(0)
