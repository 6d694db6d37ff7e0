/**
 * Imported into a process under test (`NODE_OPTIONS=--import …`): it says how long its event loop was held at a stretch, in
 * the thread's own processor time. On a machine that others use, the time on the wall would tell of them.
 */
import { writeSync } from "node:fs"
import { threadCpuUsage } from "node:process"
import { mostMs } from "./LongestTick.ts"

/** Milliseconds between two looks; a busy loop comes to each as soon as it is free. */
const every = 5

let before = threadCpuUsage()
const look = () => {
  const { system, user } = threadCpuUsage(before)
  const held = (system + user) / 1_000
  if (held > mostMs) writeSync(1, `The event loop was held for ${held.toFixed(0)} ms\n`)
  before = threadCpuUsage()
}
setInterval(look, every).unref()
