/** `npm run bench -- NAME`: measures Parley beside its peers in one run, and prints. Slowness is not a failure. */
import { loadavg } from "node:os"

const benches: Record<string, () => Promise<{ readonly run: (args: Array<string>) => Promise<void> }>> = {
  http: () => import("./Http.ts"),
  tenants: () => import("./Tenants.ts"),
  import: () => import("./Import.ts"),
  sse: () => import("./Sse.ts"),
  idle: () => import("./Idle.ts"),
  start: () => import("./Start.ts"),
  preflight: () => import("./Preflight.ts"),
  dial: () => import("./Dial.ts"),
  lists: () => import("./Lists.ts"),
  spread: () => import("./Spread.ts"),
  failover: () => import("./Failover.ts"),
  fleet: () => import("./Fleet.ts"),
  faq: () => import("./Faq.ts"),
  agent: () => import("./Agent.ts"),
  python: () => import("./Python.ts"),
  console: () => import("./Console.ts"),
  offload: () => import("./Offload.ts"),
  media: () => import("./Media.ts"),
  "ended-calls": () => import("./EndedCalls.ts"),
  archive: () => import("./Archive.ts"),
  "who-answered": () => import("./WhoAnswered.ts"),
  hearing: () => import("./Hearing.ts"),
  "opt-outs": () => import("./OptOuts.ts"),
}

const [name = "", ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  console.error(`Usage: npm run bench -- ${Object.keys(benches).join(" | ")}`)
  process.exit(1)
}
if ((loadavg()[0] ?? 0) > 1) console.error("Other work is running on this machine: expect noise.")
// The exit handlers clean up. A signal alone would not run them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
await (await bench()).run(args)
process.exit(0)
