/** The stand-in SIP trunk as a separate process, and Parleys that call over it. */
import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { made } from "./Fixtures.ts"
import { freePort } from "./FreePorts.ts"
import type { Client } from "./TestServer.ts"

/** An entry of the trunk's ground truth. See the head of test/telephony/sip/trunk/main.ts. */
export interface SipTruth {
  readonly event:
    | "invite"
    | "answer"
    | "acknowledged"
    | "refuse"
    | "cancel"
    | "expired"
    | "hung_up"
    | "abandoned"
    | "bye"
  /** The Call-ID. */
  readonly call: string
  readonly to: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly status?: number
  readonly port?: number
}

export class SipTrunk extends Context.Service<
  SipTrunk,
  {
    /** Its address. */
    readonly server: string
    /** Its ground truth: of calls to this number, or of all. */
    readonly truth: (to?: string) => ReadonlyArray<SipTruth>
  }
>()("test/SipTrunk") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const log = join(mkdtempSync(join(tmpdir(), "parley-trunk-")), "truth.jsonl")
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["test/telephony/sip/trunk/main.ts", "--log", log], {
            stdio: ["ignore", "pipe", "inherit"],
          }),
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL")),
      )
      const server = yield* Effect.promise(async () => {
        for await (const line of createInterface(child.stdout)) {
          const [address] = /127\.0\.0\.1:\d+/.exec(line) ?? []
          if (address !== undefined) return address
        }
        throw new Error("The trunk has ended before it was ready")
      })
      const truth = (to?: string): ReadonlyArray<SipTruth> =>
        readFileSync(log, { encoding: "utf8", flag: "a+" })
          .split("\n")
          .filter(Boolean)
          .map((line): SipTruth => JSON.parse(line))
          .filter((event) => to === undefined || event.to === to)
      return { server, truth }
    }),
  )
}

/** The settings of a Parley that calls over a trunk on this machine. `speech` is the URL of a speech server. */
export const sipSettings = async (speech: string): Promise<Record<string, string>> => ({
  PARLEY_SIP_PORT: String(await freePort()),
  PARLEY_SIP_NETWORKS: "127.0.0.0/8,::1",
  SPEECH_BASE_URL: speech,
})

let numbers = 4155570000
/** Creates a number over the trunk that no other test has. */
export const sipNumber = async (client: Client, server: string, config: object = {}) =>
  made(
    await client.post("/api/phone-numbers", {
      number: `+1${numbers++}`,
      carrier: "sip",
      carrier_config: { server, transport: "udp", ...config },
    }),
  )
