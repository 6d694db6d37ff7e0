/**
 * The ids and paths of a refused message, without its input, so that each call gets its refusal. Runs in a worker:
 * `JSON.parse` of a megabyte with too many values takes up to 120 ms.
 */
import type { WorkerJob } from "../offload/Job.ts"

/** The most calls of one message that are refused one by one. */
const mostCalls = 100

/** The message without its inputs. Null if it is not JSON, or has too many calls. */
export const outline = (text: string): unknown => {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(message)) return withoutInput(message)
  return message.length > mostCalls ? null : message.map(withoutInput)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withoutInput = (message: unknown): unknown => {
  if (!isObject(message)) return null
  const { id, method, params } = message
  return { id: scalar(id), method: scalar(method), params: { path: isObject(params) ? scalar(params["path"]) : null } }
}

/** Other values are not part of the protocol, and may be large. */
const scalar = (value: unknown): unknown => (typeof value === "object" ? null : value)

export const outlining: WorkerJob<unknown> = { module: import.meta.url, name: outline.name }
