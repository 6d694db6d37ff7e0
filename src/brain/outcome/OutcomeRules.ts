/**
 * Reads a result by rules for English: enough for the lab. It runs in an Offload worker, because it looks for each field
 * of a tenant's schema in each utterance.
 */
import { DateTime, type Schema } from "effect"
import type { WorkerJob } from "../../offload/Job.ts"
import { cuesOf } from "../scripted/Cues.ts"
import { readingsOf } from "../scripted/Findings.ts"
import type { Reading, Said } from "./OutcomeQuestion.ts"

interface Source {
  readonly schema: Schema.JsonObject
  readonly said: ReadonlyArray<Said>
  /** The agent's prompt and its playbooks as they were written. */
  readonly prompts: ReadonlyArray<string>
  /** When the call began, as an ISO 8601 text, and the time zone of the days that its speakers name. */
  readonly at: string
  readonly time_zone: string
}

/** The readings by the names of their fields. */
type Found = ReadonlyArray<readonly [string, Reading]>

export const readByRules = ({ at, prompts, said, schema, time_zone }: Source): Found => {
  const today = DateTime.setZoneNamedUnsafe(DateTime.makeUnsafe(at), time_zone)
  return [...readingsOf(cuesOf(prompts), said, schema, today)]
}

export const reading: WorkerJob<Found> = { module: import.meta.url, name: readByRules.name }
