/**
 * The concurrency budget: the `max_concurrent_calls` of the running campaigns together must not exceed the account's
 * `concurrent_max` (spec §3; I4, I10).
 */

export interface Budget {
  /** Σ max_concurrent_calls of the running campaigns. */
  readonly in_use: number
  readonly concurrent_max: number
}

export const fits = (requested: number, { concurrent_max, in_use }: Budget): boolean =>
  in_use + requested <= concurrent_max

export interface DueDraft {
  readonly id: string
  readonly max_concurrent_calls: number
}

/**
 * Divides drafts whose time has come into those that start now and those that wait, in their order. No draft overtakes
 * one that waits for room, but a draft that asks for more than the account's maximum does not block the others.
 */
export const lineUp = (drafts: ReadonlyArray<DueDraft>, budget: Budget) => {
  const start: Array<string> = []
  const wait: Array<string> = []
  let { in_use } = budget
  let full = false
  for (const { id, max_concurrent_calls } of drafts) {
    if (!full && fits(max_concurrent_calls, { ...budget, in_use })) {
      start.push(id)
      in_use += max_concurrent_calls
    } else {
      wait.push(id)
      full ||= max_concurrent_calls <= budget.concurrent_max
    }
  }
  return { start, wait }
}
