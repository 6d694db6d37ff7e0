import { assert, describe, it } from "@effect/vitest"
import { type Batch, Batches } from "../../../src/speech/detection/Batches.ts"
import { until } from "../../support/Until.ts"

const connected = () => {
  const batches = new Batches()
  const sent: Array<Batch> = []
  batches.connect((batch) => void sent.push(batch))
  const open = (rate: number, account = "own") => {
    const opened = batches.open(rate, account)
    if (opened === null) throw new Error("The batches took no line")
    return opened
  }
  return { batches, open, sent }
}
const window = (rate: number, value: number) => new Int16Array(rate * 0.032).fill(value)
const halves = (batch: Batch | undefined) =>
  batch?.groups.map(({ lines, rate, samples }) => [rate, lines.length, [...new Set(samples)]])

describe("batches for Silero", () => {
  it("hold what all lines have at the end of a tick, by rate", async () => {
    const { open, sent } = connected()
    const lines = [open(8_000), open(16_000), open(8_000)]
    for (const [at, { line }] of lines.entries()) line.push(window(line.rate, at + 1))
    await until(() => sent.length === 1)
    assert.deepStrictEqual(halves(sent[0]), [
      [8_000, 2, [1, 3]],
      [16_000, 1, [2]],
    ])
  })
  it("go one at a time, and have one window of a line", async () => {
    const { batches, open, sent } = connected()
    const { line } = open(8_000)
    line.push(window(8_000, 1))
    await until(() => sent.length === 1)
    for (const value of [2, 3]) line.push(window(8_000, value))
    await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(sent.length, 1)
    batches.answer([Float32Array.of(0.25)])
    assert.deepStrictEqual(line.takeJudged(), [{ window: 0, probability: 0.25 }])
    await until(() => sent.length === 2)
    assert.deepStrictEqual(halves(sent[1]), [[8_000, 1, [2]]])
  })
  it("name the lines that have closed since, once", async () => {
    const { batches, open, sent } = connected()
    const gone = open(8_000)
    const { line } = open(8_000)
    gone.close()
    line.push(window(8_000, 1))
    await until(() => sent.length === 1)
    batches.answer([Float32Array.of(0)])
    line.push(window(8_000, 2))
    await until(() => sent.length === 2)
    assert.deepStrictEqual(
      sent.map(({ closed }) => closed.length),
      [1, 0],
    )
  })
  it("start again with a new process, whatever the old one owed", async () => {
    const { batches, open, sent } = connected()
    const { line } = open(8_000)
    line.push(window(8_000, 1))
    await until(() => sent.length === 1)
    batches.connect(null)
    assert.strictEqual(batches.owedMs, 0)
    line.push(window(8_000, 2))
    batches.connect((batch) => void sent.push(batch))
    line.push(window(8_000, 3))
    await until(() => sent.length === 2)
    assert.deepStrictEqual(halves(sent[1]), [[8_000, 1, [2]]])
  })
  it("take no line any more once no process will come", () => {
    const { batches, open } = connected()
    open(8_000)
    batches.abandon()
    assert.isNull(batches.open(8_000, "own"))
  })
  it("take no line of a rate that the model does not know, and no more than 400", () => {
    const { batches, open } = connected()
    assert.isNull(batches.open(24_000, "own"))
    for (let count = 0; count < 400; count++) open(8_000, `account-${count}`)
    assert.isNull(batches.open(8_000, "own"))
  })
  it("leave lines to other accounts, however many one asks for", () => {
    const { batches, open } = connected()
    const lines = Array.from({ length: 200 }, () => open(8_000, "greedy"))
    assert.isNull(batches.open(8_000, "greedy"))
    open(8_000, "other")
    // Closed twice, a line is given back once.
    lines[0]!.close()
    lines[0]!.close()
    open(8_000, "greedy")
    assert.isNull(batches.open(8_000, "greedy"))
  })
})
