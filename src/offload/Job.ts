/** Work that can run in this process or in a worker: a module's function with JSON input and result. */
import type { Budget } from "./Budget.ts"

/** Pure. It spends steps as it goes, or all at once where its cost can only be estimated. */
type Work<I, O> = (input: I, budget: Budget) => O

export interface Job<I, O> {
  /** The URL of the module that exports `work` under its name. */
  readonly module: string
  readonly work: Work<I, O>
}

/**
 * Work of a library that cannot count steps. Its module is loaded only in workers. `Result` is the type of its answer.
 */
export interface WorkerJob<Result> {
  readonly module: string
  /** The exported function's name; the function may return a promise. */
  readonly name: string
  readonly result?: Result
}

/** A question to a worker. */
export interface Question {
  readonly module: string
  readonly name: string
  /** The input as JSON: cheaper to send than an object. */
  readonly input: string
}

/** `begun` is sent when the module is loaded; the time limit of the work counts from there. */
export type Reply =
  | { readonly kind: "begun" }
  | { readonly kind: "done"; readonly result: string | undefined }
  | { readonly kind: "overrun" }
  | { readonly kind: "failed"; readonly reason: string }
