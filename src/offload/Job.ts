/** Work that can be done on either side: a function of a module, whose input and result are JSON. */
import type { Budget } from "./Budget.ts"

/** Pure. It spends steps as it goes, or all at once where it can only be estimated. */
type Work<I, O> = (input: I, budget: Budget) => O

export interface Job<I, O> {
  /** The URL of the module that exports `work` under its name. */
  readonly module: string
  readonly work: Work<I, O>
}

/** Work of a library that counts no steps. Its module is loaded in workers alone. `Result` is what it answers. */
export interface WorkerJob<Result> {
  readonly module: string
  /** Of the function that the module exports; it may answer a promise. */
  readonly name: string
  readonly result?: Result
}

/** What a worker is asked for. */
export interface Question {
  readonly module: string
  readonly name: string
  /** The input as JSON: cheaper to send than an object. */
  readonly input: string
}

/** `begun` comes when the module is loaded; the time of the work counts from there. */
export type Reply =
  | { readonly kind: "begun" }
  | { readonly kind: "done"; readonly result: string | undefined }
  | { readonly kind: "overrun" }
  | { readonly kind: "failed"; readonly reason: string }
