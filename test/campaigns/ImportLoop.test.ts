/** The worst contact lists of 10 MB: each is imported or refused in slices, and the event loop is never held for long. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Writable } from "node:stream"
import * as ContactImport from "../../src/campaigns/lists/ContactImport.ts"
import { ListRefused } from "../../src/campaigns/lists/ListRefused.ts"
import { readList } from "../../src/campaigns/lists/ListReader.ts"
import { maximumBytes } from "../../src/campaigns/SuppressionImport.ts"
import { SuppressionRows } from "../../src/campaigns/lists/SuppressionRows.ts"
import type { RowRules } from "../../src/campaigns/lists/ContactRows.ts"
import { longestTick, mostMs } from "../support/LongestTick.ts"

const tenMegabytes = 10 * 1_048_576
const chunk = 65_536
const repeated = (header: string, row: (at: number) => string, rows: number) =>
  Buffer.from(`${header}\n${Array.from({ length: rows }, (_, at) => row(at)).join("\n")}\n`.slice(0, tenMegabytes))

const skip: RowRules = { default_country: undefined, duplicate_policy: "skip" }
const inUs: RowRules = { ...skip, default_country: "US" }

const wideHeader = ["phone_number", ...Array.from({ length: 199 }, (_, at) => `c${at}`)].join(",")

const lists: ReadonlyArray<readonly [string, () => Buffer, RowRules, RegExp]> = [
  ["impossible numbers", () => repeated("phone_number", () => "+12125551", 1_000_000), skip, /invalid rows/],
  ["valid numbers", () => repeated("phone_number", (at) => `+1415${2_000_000 + at}`, 700_000), skip, /accepted/],
  ["national numbers", () => repeated("phone_number", (at) => `415${2_000_000 + at}`, 60_000), inUs, /accepted/],
  [
    "numbers of many beginnings",
    () => repeated("phone_number", (at) => `+${100_000_000 + at * 1_237}`, 300_000),
    skip,
    /invalid rows|accepted/,
  ],
  ["blank lines", () => repeated("phone_number\n+14155550132", () => "", 10_000_000), skip, /accepted/],
  ["one row of commas", () => Buffer.from(`phone_number,a\n${",".repeat(tenMegabytes - 20)}`), skip, /invalid rows/],
  ["one line without an end", () => Buffer.alloc(tenMegabytes, "x"), skip, /first line/],
  [
    "one cell of doubled quotes",
    () => Buffer.from(`phone_number,a\n+14155550132,"${'""'.repeat(5_000_000)}"\n`),
    skip,
    /invalid rows/,
  ],
  [
    "rows of many wide cells, each character of which is escaped",
    () => Buffer.from(`${wideHeader}\n${`+14155550132${`,${"\\".repeat(9_999)}`.repeat(199)}\n`.repeat(5)}`),
    skip,
    /accepted/,
  ],
]

describe("a contact list of 10 MB", () => {
  it.each(lists)("%s: the loop goes on", { timeout: 120_000 }, async (_, make, rules, expected) => {
    const bytes = make()
    assert.isAtMost(bytes.length, tenMegabytes)
    const file = async function* () {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
    }
    let said = ""
    const worst = await longestTick(async () => {
      const sink = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done) })
      const list = { file: file(), rules }
      const result = await Effect.runPromise(
        Effect.result(ContactImport.run("01a1fe3d-e0ef-7095-a731-69dac673e9d2", list, () => sink)),
      )
      said = Result.isSuccess(result)
        ? `${result.success.report.accepted} accepted`
        : result.failure._tag === "Invalid"
          ? (result.failure.errors[0]?.detail ?? "")
          : result.failure.message
    })
    assert.match(said, expected)
    assert.isBelow(worst, mostMs, `the longest turn of "${said}"`)
  })
})

const reason = "r".repeat(1_000)
const doNotCall: ReadonlyArray<readonly [string, () => Buffer]> = [
  ["numbers alone", () => Buffer.from(`${many("+1415", 2_500_000)}`)],
  ["national numbers", () => Buffer.from(many("415", 300_000))],
  [
    "long reasons",
    () => Buffer.from(Array.from({ length: 32_000 }, (_, at) => `+1415${2_000_000 + at},${reason}`).join("\n")),
  ],
  [
    "moments",
    () =>
      Buffer.from(`phone_number,expires_at\n${`+14155550132,2099-01-01T00:00:00.000000001+23:59\n`.repeat(700_000)}`),
  ],
  ["one row", () => Buffer.alloc(maximumBytes, "+14155550132,")],
]
const many = (beginning: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${beginning}${2_000_000 + at}`).join("\n")

describe("a do-not-call list of 32 MB", () => {
  it.each(doNotCall)("of %s: the loop goes on", { timeout: 120_000 }, async (_, make) => {
    const bytes = make().subarray(0, maximumBytes)
    const file = async function* () {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
    }
    const worst = await longestTick(async () => {
      const rules = { default_country: "US", reason: null, subject: null }
      try {
        for await (const _ of readList(file(), maximumBytes, (first) => new SuppressionRows(first, rules)))
          await new Promise((resolve) => setImmediate(resolve))
      } catch (cause) {
        assert.instanceOf(cause, ListRefused)
      }
    })
    assert.isBelow(worst, mostMs)
  })
})
