/** Shared by the tests of the catalog: each kind of item as a request sends it, the expected response, an account. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Problems from "./Problems.ts"
import { type Answer, type AnswerOf, type Client, TestServer } from "./TestServer.ts"

export const mask = "********"
export const source = "def run(arguments, context):\n    return arguments\n"
export const unknownId = "00000000-0000-4000-8000-000000000000"

export const fresh = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`
export const python = () => ({
  name: fresh("tool"),
  description: "Echoes.",
  implementation_type: "python",
  implementation_code: source,
})
export const http = (config: object = {}) => ({
  name: fresh("tool"),
  description: "Calls.",
  implementation_type: "http",
  implementation_config: { url: "https://example.com/hook", ...config },
})
export const agent = () => ({ name: fresh("agent"), system_prompt: "Hello {{first_name}}" })
export const playbook = () => ({ name: fresh("playbook"), prompt: "Be kind." })
export const faq = () => ({ question: `${fresh("Why")}?`, answer: "Because." })
let lastNumber = 2125560000
export const number = () => ({ number: `+1${lastNumber++}`, carrier: "lab" })

export const made = async <Success>(answer: Promise<AnswerOf<Success>>): Promise<Success> => {
  const { body, status } = await answer
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body as Success
}
export const refused = async (answer: Promise<Answer>, status: number, code: string, pointer?: string) =>
  Problems.refused(await answer, status, code, pointer)

type Body = (owner: Client, server: TestServer["Service"]) => Promise<void>

/** Declares tests of the catalog. Each gets the owner of an account on the file's server. */
export const catalog = (tests: (test: (name: string, body: Body) => void) => void): void =>
  it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
    "the catalog (decisions §2)",
    (it) =>
      tests((name, body) =>
        it.effect(name, () =>
          Effect.flatMap(TestServer, (server) =>
            Effect.promise(async () => body(await server.ownerOf("catalog"), server)),
          ),
        ),
      ),
  )
