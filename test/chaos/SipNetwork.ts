/** A SIP trunk as the phone network of a chaos run. Its calls continue if Parley dies, and cannot be looked up. */
import { Effect, Exit, Scope } from "effect"
import { spawn } from "node:child_process"
import { createWriteStream, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { freePort } from "../support/FreePorts.ts"
import type { SipTruth } from "../support/SipTrunk.ts"
import { speechServer } from "../support/SpeechServer.ts"
import type { Dice } from "./Dice.ts"
import type { CarrierFact } from "./History.ts"
import type { Network } from "./Network.ts"

const script = join(import.meta.dirname, "../telephony/sip/trunk/main.ts")
/** Milliseconds after which a person who answered hangs up. */
const talkMs = 2_500
/** The media ports of one process: two for each of 100 calls. */
const mediaPorts = { first: 34_000, each: 200 }

/** The last digits of a number, by the trunk's table. Most numbers are people who answer. */
const someDigits = (dice: Dice) =>
  `${dice.whole(0, 9)}${dice.chance(0.6) ? dice.pick(["0", "1", "8"]) : dice.whole(2, 9)}`

export const sip = async (seed: number, folder: string, processes: number): Promise<Network> => {
  const log = join(folder, "trunk.jsonl")
  const child = spawn(process.execPath, [script, "--log", log, "--seed", String(seed), "--talk", String(talkMs)], {
    stdio: ["pipe", "pipe", "pipe"],
  })
  child.stderr.pipe(createWriteStream(join(folder, "trunk.log")))
  const kill = () => child.kill("SIGKILL")
  process.on("exit", kill)
  const server = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const [at] = /127\.0\.0\.1:\d+/.exec(line) ?? []
      if (at !== undefined) resolve(at)
    })
    child.once("exit", () => reject(new Error("The trunk ended before it was ready")))
  })
  const scope = Scope.makeUnsafe()
  const speech = await Effect.runPromise(Scope.provide(speechServer, scope))
  const ports = await Promise.all(Array.from({ length: processes }, freePort))
  const order = (troubles: object) => void child.stdin.write(`${JSON.stringify(troubles)}\n`)
  const trouble = (kind: string, troubles: object) => ({
    kind,
    begin: async () => order(troubles),
    end: async () => order({}),
  })
  return {
    env: { PARLEY_SIP_NETWORKS: "127.0.0.0/8", SPEECH_BASE_URL: speech.url, PARLEY_BREAKER_PERCENT: "0" },
    envOf: (of) => ({
      PARLEY_SIP_PORT: String(ports[of]),
      PARLEY_MEDIA_PORTS: `${mediaPorts.first + of * mediaPorts.each}-${mediaPorts.first + (of + 1) * mediaPorts.each - 1}`,
    }),
    number: { carrier: "sip", carrier_config: { server, transport: "udp", calls_per_second: 100 } },
    digits: someDigits,
    troubles: [
      trouble("a third of the datagrams is lost", { lose: 0.33 }),
      trouble("datagrams come twice", { repeat: 0.7 }),
      trouble("datagrams are late and out of order", { delay_ms: 900, repeat: 0.3 }),
      trouble("the trunk is full", { refuse: 0.7 }),
      trouble("the trunk does not answer", { mute: 0.7 }),
      trouble("nothing gets through", { lose: 1 }),
    ],
    facts: async ({ callIds }) =>
      (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").flatMap((line) => factOf(line, callIds)),
    stop: async () => {
      process.off("exit", kill)
      kill()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

const events: Partial<Record<SipTruth["event"], CarrierFact["event"]>> = {
  invite: "create",
  answer: "answer",
  refuse: "end",
  cancel: "end",
  expired: "end",
  hung_up: "end",
  abandoned: "end",
  bye: "end",
}

const refusals: Record<number, string> = {
  486: "busy",
  500: "busy",
  603: "rejected",
  404: "invalid_number",
  480: "no_answer",
  503: "carrier_error",
}

const outcomeOf = ({ event, status = 0 }: SipTruth): string => {
  if (event === "refuse") return refusals[status] ?? "carrier_error"
  if (event === "cancel") return "canceled"
  return event === "expired" ? "no_answer" : "answered"
}

const factOf = (line: string, callIds: ReadonlyMap<string, string>): ReadonlyArray<CarrierFact> => {
  if (!line.endsWith("}")) return []
  const truth: SipTruth = JSON.parse(line)
  const event = events[truth.event]
  if (event === undefined) return []
  const fact = {
    t: "carrier",
    event,
    ref: callIds.get(truth.call) ?? truth.call,
    number: truth.to,
    at: truth.at,
  } as const
  return [event === "end" ? { ...fact, outcome: outcomeOf(truth) } : fact]
}
