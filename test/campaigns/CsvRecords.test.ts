/** The reader of CSV beside csv-parse, which is read by half the world: the same records, on the same lines, or both refuse. */
import { assert, describe, it } from "@effect/vitest"
import { CsvError, parse } from "csv-parse/sync"
import fc from "fast-check"
import { copyOf, CsvFault, CsvRecords, textOf } from "../../src/campaigns/CsvRecords.ts"

interface Read {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** Blocks end where lines end, but for the last. */
const blocksOf = (text: string): ReadonlyArray<Buffer> => text.split(/(?<=\n)/).map((line) => Buffer.from(line))

const read = (blocks: ReadonlyArray<Buffer>, delimiter = ","): ReadonlyArray<Read> => {
  const records = new CsvRecords(delimiter)
  const found: Array<Read> = []
  const takeAll = () => {
    while (records.next()) {
      const cells = (record = copyOf(records)) =>
        Array.from({ length: record.count }, (_, cell) => textOf(record, cell))
      assert.deepStrictEqual(cells(), cells(records))
      found.push({ line: records.line, cells: cells() })
    }
  }
  for (const block of blocks) {
    records.feed(block)
    takeAll()
  }
  records.end()
  takeAll()
  return found
}

const orRefused = <A>(reading: () => A): A | "refused" => {
  try {
    return reading()
  } catch (cause) {
    if (cause instanceof CsvFault || cause instanceof CsvError) return "refused"
    throw cause
  }
}

const reference = (text: string, delimiter: string): ReadonlyArray<ReadonlyArray<string>> =>
  parse(text, {
    bom: true,
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    skip_empty_lines: true,
  })

describe("the records of a CSV (RFC 4180)", () => {
  it("are those that csv-parse reads, or neither reads the file", () => {
    const pieces = fc.constantFrom(
      "a",
      "é",
      "😀",
      ",",
      ",",
      '"',
      '"',
      '""',
      "\n",
      "\n",
      "\r\n",
      "\r",
      " ",
      ";",
      "\\",
      "\uFEFF",
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), fc.constantFrom(",", ";", "\t"), (parts, delimiter) => {
        const text = parts.join("")
        const own = orRefused(() => read(blocksOf(text), delimiter).map(({ cells }) => cells))
        assert.deepStrictEqual(
          own,
          orRefused(() => reference(text, delimiter)),
          JSON.stringify(text),
        )
      }),
      { numRuns: 5_000 },
    )
  })

  it("are the same in whatever blocks they come", () => {
    const line = fc.constantFrom('a,"b\n', 'c"" d\n', 'e",f\n', "g,h\n", "\n", '"",""\n')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(fc.nat(3), { maxLength: 12 }), (lines, cuts) => {
        const text = lines.join("")
        const whole = orRefused(() => read([Buffer.from(text)]))
        const merged: Array<string> = []
        for (const [at, part] of lines.entries()) {
          if ((cuts[at] ?? 0) > 0 || merged.length === 0) merged.push(part)
          else merged.push(`${merged.pop() ?? ""}${part}`)
        }
        assert.deepStrictEqual(
          orRefused(() => read(merged.map((part) => Buffer.from(part)))),
          whole,
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it("stand on the physical line where they begin", () => {
    const text = 'a,b\r\n"1\n2\n",x\n\n\r\n3,"4"\n"5",6'
    assert.deepStrictEqual(
      read(blocksOf(text)).map(({ cells, line }) => [line, cells[0]]),
      [
        [1, "a"],
        [2, "1\n2\n"],
        [7, "3"],
        [8, "5"],
      ],
    )
  })

  it.each([
    ['a\nb"c\n', 2],
    ['a\n"b"c\n', 2],
    ['a\nb\n"c\nd\n', 3],
  ])("%j is refused with its line", (text, line) => {
    try {
      read(blocksOf(text))
      assert.fail("It was read")
    } catch (cause) {
      assert.instanceOf(cause, CsvFault)
      assert.strictEqual(cause instanceof CsvFault ? cause.line : undefined, line)
    }
  })

  it("a quote that is never closed is refused after 10 MB too", () => {
    const block = Buffer.from(`${"x".repeat(65_535)}\n`)
    const blocks = [Buffer.from('"\n'), ...Array.from({ length: 159 }, () => block)]
    assert.strictEqual(
      orRefused(() => read(blocks)),
      "refused",
    )
  })

  it("cells beyond those that a list may have are counted, and nothing else", () => {
    const records = new CsvRecords(",")
    records.feed(Buffer.from(`${"a,".repeat(999)}a\nb,c\n`))
    assert.isTrue(records.next())
    assert.strictEqual(records.count, 1000)
    assert.isTrue(records.next())
    assert.deepStrictEqual([textOf(records, 0), textOf(records, 1), records.count], ["b", "c", 2])
  })
})
