/**
 * `npm run chaos -- --minutes 10 --seed 7 --processes 3 --carrier sip` does one run and judges it. The carrier is
 * `twilio` by default, and may also be `lab`, `telnyx-stream` or `twilio-stream`. `--history FILE` judges a stored run.
 * `--guards` removes each guard and runs the suite that has to fail without it.
 */
import { parseArgs } from "node:util"
import * as Guards from "./Guards.ts"
import * as History from "./History.ts"
import * as Report from "./Report.ts"
import * as Run from "./Run.ts"

// The exit handlers end everything that the run has started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    seconds: { type: "string" },
    seed: { type: "string" },
    processes: { type: "string" },
    accounts: { type: "string" },
    carrier: { type: "string" },
    contacts: { type: "string" },
    history: { type: "string" },
    guards: { type: "boolean" },
    only: { type: "string" },
  },
})
const number = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Number(text))
const seed = number(values.seed, Date.now() % 1_000_000)

const carriers = ["lab", "sip", "telnyx-stream", "twilio", "twilio-stream"] as const

const carrierOf = (name: string) => {
  const carrier = carriers.find((one) => one === name)
  if (carrier === undefined) throw new Error(`--carrier is one of ${carriers.join(", ")}, not ${name}`)
  return carrier
}

const live = async () => {
  const { file, history } = await Run.run({
    seed,
    processes: number(values.processes, 3),
    accounts: number(values.accounts, 3),
    contacts: number(values.contacts, 20),
    seconds: values.minutes === undefined ? number(values.seconds, 60) : Number(values.minutes) * 60,
    carrier: carrierOf(values.carrier ?? "twilio"),
    log: (line) => console.log(`${new Date().toISOString()} ${line}`),
  })
  console.log(`\nseed        ${seed}\nhistory     ${file}`)
  return history
}

if (values.guards === true) {
  process.exitCode = (await Guards.takeAway((name) => values.only === undefined || name.includes(values.only))) ? 0 : 1
} else {
  const { lines, violations } = Report.of(values.history === undefined ? await live() : History.read(values.history))
  console.log(lines.join("\n"))
  process.exitCode = violations > 0 ? 1 : 0
}
