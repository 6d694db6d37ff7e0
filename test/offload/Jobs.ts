/** Jobs of every kind, for the workers of a test. */
import { writeFileSync } from "node:fs"
import { OutOfSteps, type Budget } from "../../src/offload/Budget.ts"
import type { Job } from "../../src/offload/Job.ts"

const beyondHere = (budget: Budget) => budget.spend(1_000_000_000)

export const double = (input: number, budget: Budget): number => {
  budget.spend(input)
  return input * 2
}
export const spin = (_: null, budget: Budget): number => {
  beyondHere(budget)
  for (;;);
}
export const tellAndSpin = (path: string, budget: Budget): number => {
  beyondHere(budget)
  writeFileSync(path, String(process.pid))
  for (;;);
}
export const tellPid = (): number => process.pid
export const hoard = (_: null, budget: Budget): number => {
  beyondHere(budget)
  const kept: Array<Array<number>> = []
  for (;;) kept.push(Array.from<number>({ length: 1_000_000 }).fill(kept.length))
}
/** V8 ends the process of a list, or a map, that is to grow where there is no memory for twice as many. */
export const growList = (_: null, budget: Budget): number => {
  beyondHere(budget)
  const kept: Array<number> = []
  for (;;) kept.push(kept.length + 0.5)
}
export const growMap = (_: null, budget: Budget): number => {
  beyondHere(budget)
  const kept = new Map<number, number>()
  for (;;) kept.set(kept.size, 0)
}
export const recurse = (depth: number, budget: Budget): number => {
  budget.spend(1)
  return recurse(depth + 1, budget) + 1
}
export const giveUp = (): number => {
  throw new OutOfSteps("too deep, wherever it is tried")
}
export const breakDown = (_: null, budget: Budget): number => {
  beyondHere(budget)
  throw new Error("a bug")
}

export const jobOf = <I, O>(work: Job<I, O>["work"]): Job<I, O> => ({ module: import.meta.url, work })
