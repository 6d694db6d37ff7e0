/** How the monitor ends: an exit code for scripts, a sentence for people. */
import { Data, Runtime } from "effect"
import { ParleyError } from "../../examples/parley.ts"

/** Exit codes, as in the table of docs/monitor.md. */
export const codes = {
  completed: 0,
  failed: 1,
  unreachable: 2,
  stopped: 3,
  notFound: 4,
  signedOut: 5,
  usage: 64,
  interrupted: 130,
} as const

export class Leaving extends Data.TaggedError("Leaving")<{ readonly code: number; readonly message: string }> {
  override readonly [Runtime.errorExitCode] = this.code
}

/** The exit for a refusal that a retry would not change, or for an unreachable server. */
export const because = (cause: unknown): Leaving => {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (!(cause instanceof ParleyError)) return new Leaving({ code: codes.unreachable, message: reasonOf(cause) })
  const { code, status } = cause.problem
  if (status === 401 || status === 403) return new Leaving({ code: codes.signedOut, message })
  const isMissing = code !== "not_parley" && (status === 404 || status === 400)
  return new Leaving({ code: isMissing ? codes.notFound : codes.unreachable, message })
}

/** Prefers the cause of an error: "fetch failed" alone says nothing. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const { cause: behind, message } = cause
  if (!(behind instanceof Error)) return message
  return `The server cannot be reached: ${behind instanceof AggregateError ? String(Reflect.get(behind, "code")) : behind.message}.`
}
