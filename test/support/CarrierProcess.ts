/** The stand-in carrier as a separate process, and a whole Parley beside it. Each can reach the other. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { made } from "./Fixtures.ts"
import { freePort } from "./FreePorts.ts"
import type { CarrierStream } from "./StreamedParley.ts"
import { type Client, TestServer } from "./TestServer.ts"

/**
 * Asserts that the conversation was not cut short. On a busy machine "One moment, please." uses up the party's lines,
 * and then the party says goodbye first.
 */
export const assertTalkedThrough = (call: object, message?: string) => {
  assert.include(call, { status: "completed", outcome: "answered" }, message)
  assert.include(["agent_hung_up", "caller_hung_up"], (call as { end_reason?: unknown }).end_reason, message)
}

/** An entry of the carrier's ground truth. */
export interface Truth {
  readonly event: "create" | "ring" | "answer" | "end"
  readonly sid: string
  readonly call_id: string
  readonly to: string
  readonly at: string
  readonly outcome?: string
  /** Twilio's status for the end. */
  readonly status?: string
}

/** The parts of the carrier's replies that tests read. */
interface Reply {
  readonly "/calls": ReadonlyArray<{
    readonly sid: string
    readonly order: { readonly status_callback: string; readonly twiml: string }
    readonly transcript: ReadonlyArray<{ readonly role: string; readonly text: string }>
  }>
  readonly "/counts": {
    readonly callbacks: { readonly waiting: number; readonly answered: number; readonly refused: number }
  }
  readonly "/control": { readonly create: { readonly too_many_next: number } }
  readonly "/storm": { readonly sent: number }
  readonly "/ring": { readonly sid: string }
  readonly "/public_key": { readonly public_key: string }
  readonly "/streams": ReadonlyArray<CarrierStream>
  /** About the newest stream of the call `sid`. See the head of test/chaos/carrier/main.ts. */
  readonly "/stream": unknown
}

export class CarrierProcess extends Context.Service<
  CarrierProcess,
  {
    readonly url: string
    /** Sends a request or an order to the carrier. See the head of test/chaos/carrier/main.ts. */
    readonly ask: <const Path extends keyof Reply>(
      method: "GET" | "POST",
      path: Path,
      body?: object,
    ) => Promise<Reply[Path]>
    /** What really happened, in one call of Parley's or in all. */
    readonly truth: (call_id?: string) => ReadonlyArray<Truth>
    readonly kill: () => void
  }
>()("test/CarrierProcess") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const log = join(mkdtempSync(join(tmpdir(), "parley-carrier-")), "truth.jsonl")
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["test/chaos/carrier/main.ts", "--speed", "20", "--log", log], {
            stdio: ["ignore", "pipe", "inherit"],
          }),
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL")),
      )
      const url = yield* Effect.promise(async () => {
        for await (const line of createInterface(child.stdout)) {
          const [address] = /http:\S+/.exec(line) ?? []
          if (address !== undefined) return address
        }
        throw new Error("The carrier has ended before it was ready")
      })
      return {
        url,
        kill: () => void child.kill("SIGKILL"),
        ask: async (method, path, body) => {
          const sent = body === undefined ? {} : { body: JSON.stringify(body) }
          const response = await fetch(url + path, { method, ...sent })
          return (await response.json()) as never
        },
        truth: (call_id) =>
          readFileSync(log, { encoding: "utf8", flag: "a+" })
            .split("\n")
            .filter(Boolean)
            .map((line): Truth => JSON.parse(line))
            .filter((event) => call_id === undefined || event.call_id === call_id),
      }
    }),
  )
}

/** A server that calls over the stand-in, which sends its reports to it. */
export const parley = Layer.unwrap(
  Effect.gen(function* () {
    const carrier = yield* CarrierProcess
    const port = yield* Effect.promise(freePort)
    return TestServer.layerWith({
      PORT: String(port),
      TWILIO_API_URL: carrier.url,
      TELNYX_API_URL: carrier.url,
      PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    })
  }),
).pipe(Layer.provideMerge(CarrierProcess.layer))

export const credentials = { account_sid: `AC${"5".repeat(32)}`, auth_token: "0123456789abcdef0123456789abcdef" }

/** The credentials of a number over Telnyx, whose webhooks the carrier signs. */
export const telnyxCredentials = async (carrier: CarrierProcess["Service"], connection_id = "2000000000000001") => ({
  api_key: `KEY0123_${connection_id}`,
  connection_id,
  ...(await carrier.ask("GET", "/public_key")),
})

let numbers = 4155560000
/** Creates a number over Twilio that no other test has. */
export const twilioNumber = async (client: Client, carrier_config: object = credentials) =>
  made(await client.post("/api/phone-numbers", { number: `+1${numbers++}`, carrier: "twilio", carrier_config }))

/** Creates a number over Telnyx that no other test has. */
export const telnyxNumber = async (client: Client, carrier_config: object) =>
  made(await client.post("/api/phone-numbers", { number: `+1${numbers++}`, carrier: "telnyx", carrier_config }))
