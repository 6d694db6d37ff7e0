/** What a refusal looks like (decisions §1, Errors). */
import { assert } from "@effect/vitest"
import type { Answer } from "./TestServer.ts"

export const refused = ({ body, headers, status }: Answer, expected: number, code: string, pointer?: string) => {
  assert.strictEqual(status, expected, JSON.stringify(body))
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.strictEqual(body.code, code)
  const pointers = (body.errors ?? []).map((error: { pointer: string }) => error.pointer)
  if (pointer !== undefined) assert.include(pointers, pointer)
}
