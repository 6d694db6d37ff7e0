/** Checks of refusals (decisions §1, Errors). */
import { assert } from "@effect/vitest"
import type { Problem } from "./Contract.ts"
import type { Answer } from "./TestServer.ts"

/** Asserts a refusal with this status and code, with `pointer` among its errors if one is given. Returns the problem. */
export const refused = ({ body, headers, status }: Answer, expected: number, code: string, pointer?: string) => {
  assert.strictEqual(status, expected, JSON.stringify(body))
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  const problem = body as Problem
  assert.strictEqual(problem.code, code)
  const errors = problem.errors ?? []
  const pointers = errors.map((error) => error.pointer)
  if (pointer !== undefined) assert.include(pointers, pointer)
  return { ...problem, errors }
}
