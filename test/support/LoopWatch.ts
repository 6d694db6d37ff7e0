/**
 * Preloaded into a process under test (`NODE_OPTIONS=--import …`). Reports how long the event loop was held at a
 * stretch, in the thread's own processor time. Wall-clock time would include other processes of a busy machine.
 */
import { writeSync } from "node:fs"
import { threadCpuUsage } from "node:process"
import { mostMs } from "./LongestTick.ts"

/** Milliseconds between two samples. A busy loop takes each as soon as it is free. */
const every = 5

let before = threadCpuUsage()
const look = () => {
  const { system, user } = threadCpuUsage(before)
  const held = (system + user) / 1_000
  if (held > mostMs) writeSync(1, `The event loop was held for ${held.toFixed(0)} ms\n`)
  before = threadCpuUsage()
}
setInterval(look, every).unref()
