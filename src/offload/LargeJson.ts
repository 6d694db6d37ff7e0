/**
 * Reads JSON that a tenant's tool or client wrote. `JSON.parse` of a megabyte of brackets or keys takes up to 120 ms,
 * so only a short text is parsed here. A longer one is parsed in a worker, which returns only what is small enough to
 * be parsed here.
 */
import { Effect } from "effect"
import type { Schema } from "effect"
import type { Crowded } from "../domain/Refusals.ts"
import type { WorkerJob } from "./Job.ts"
import * as Offload from "./Offload.ts"
import type { Overrun } from "./WorkerProcess.ts"

export type Reading =
  | { readonly kind: "value"; readonly value: Schema.Json }
  | { readonly kind: "no_json" }
  /** The value, written without blanks and unnecessary escapes, has more than `most` characters. */
  | { readonly kind: "too_large" }

interface Text {
  readonly text: string
  /** The most characters of a value that is returned. */
  readonly most: number
}

/** Runs in a worker. */
export const readWhole = ({ most, text }: Text): Reading => {
  const found = parse(text)
  return found.kind === "value" && JSON.stringify(found.value).length > most ? { kind: "too_large" } : found
}

const parse = (text: string): Reading => {
  try {
    return { kind: "value", value: JSON.parse(text) }
  } catch {
    return { kind: "no_json" }
  }
}

const reading: WorkerJob<Reading> = { module: import.meta.url, name: readWhole.name }

/** Reads JSON. A text of at most `most` characters is parsed here, and its reading is never `too_large`. */
export const read = (input: Text): Effect.Effect<Reading, Overrun | Crowded> =>
  input.text.length > input.most ? Offload.inWorker(reading, input) : Effect.sync(() => parse(input.text))
