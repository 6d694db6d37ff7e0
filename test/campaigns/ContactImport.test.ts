/** A contact list becomes rows: the CSV rules of decisions §2 at the level of bytes, and any well-formed file survives. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { Writable } from "node:stream"
import * as ContactImport from "../../src/campaigns/lists/ContactImport.ts"
import type { RowRules } from "../../src/campaigns/lists/ContactRows.ts"

interface Row {
  readonly position: number
  readonly phone_number: string
  readonly custom_fields: Record<string, string>
}

const campaign = "01a1fe3d-e0ef-7095-a731-69dac673e9d2"
const skip: RowRules = { default_country: undefined, duplicate_policy: "skip" }

/** What PostgreSQL would read: fields between tabs. */
const rowsOf = (copied: string): ReadonlyArray<Row> =>
  copied
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [id = "", of, position, phone_number = "", fields = ""] = line.split("\t")
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.strictEqual(of, campaign)
      return {
        position: Number(position),
        phone_number,
        custom_fields: JSON.parse(fields),
      }
    })

interface Sent {
  readonly chunk?: number
  readonly rules?: RowRules
}

const imported = async (text: string | Buffer, { chunk = 7, rules = skip }: Sent = {}) => {
  const bytes = Buffer.from(text as string)
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  }
  let copied = ""
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      copied += String(chunk)
      done()
    },
  })
  const list = { file: chunks(), rules }
  const result = await Effect.runPromise(Effect.result(ContactImport.run(campaign, list, () => sink)))
  return Result.map(result, ({ columns, report }) => ({ columns, report, rows: rowsOf(copied) }))
}

const accepted = async (text: string | Buffer, sent: Sent = {}) => Result.getOrThrow(await imported(text, sent))

const refusal = async (text: string | Buffer, sent: Sent = {}): Promise<string> => {
  const result = await imported(text, sent)
  if (Result.isSuccess(result)) throw new Error("It was taken")
  return result.failure._tag === "Invalid"
    ? result.failure.errors.map(({ detail, pointer }) => `${pointer} ${detail}`).join("\n")
    : result.failure.message
}

describe("a contact list (spec §2, CSV rules; decisions §2, CSV)", () => {
  it("makes every column but phone_number a custom field, in file order", async () => {
    const { columns, report, rows } = await accepted("first_name,phone_number,city\nAda,+14155550132,London\n")
    assert.deepStrictEqual(columns, ["first_name", "city"])
    assert.deepStrictEqual(rows, [
      { position: 1, phone_number: "+14155550132", custom_fields: { first_name: "Ada", city: "London" } },
    ])
    assert.deepStrictEqual(report, { rows: 1, accepted: 1, duplicates: 0, invalid: 0, errors: [] })
  })

  it.each([
    ["comma", "phone_number,a\n+14155550132,1\n"],
    ["semicolon", "phone_number;a\n+14155550132;1\n"],
    ["tab", "phone_number\ta\n+14155550132\t1\n"],
    ["a comma inside quotes beside semicolons", '"phone_number";"a"\n+14155550132;1\n'],
    ["CR LF", "phone_number,a\r\n+14155550132,1\r\n"],
    ["no newline at the end", "phone_number,a\n+14155550132,1"],
    ["a byte order mark", "\uFEFFphone_number,a\n+14155550132,1\n"],
    ["spaces around names", " phone_number , a \n+14155550132,1\n"],
    ["blank lines", "phone_number,a\n\n+14155550132,1\n\r\n\n"],
    ["blank lines before its header", "\uFEFF\r\n\r\n\nphone_number;a\r\n+14155550132;1\r\n"],
    ["its delimiter stated as spreadsheets do", "sep=;\r\nphone_number;a\r\n+14155550132;1\r\n"],
    ["a byte order mark and its delimiter stated", "\uFEFFsep=\t\nphone_number\ta\n+14155550132\t1\n"],
    ["a number pasted from a page", "phone_number,a\n\u200e+1\u00a0415\u2011555\u201101\uff13\uff12\u202c,1\n"],
  ])("is read with %s", async (_, text) => {
    const { rows } = await accepted(text)
    assert.deepStrictEqual(rows, [{ position: 1, phone_number: "+14155550132", custom_fields: { a: "1" } }])
  })

  it("keeps quotes, delimiters and newlines inside of quotes", async () => {
    const { rows } = await accepted('phone_number,note\n+14155550132,"say ""hi"",\r\nthen wait"\n')
    assert.deepStrictEqual(rows[0]?.custom_fields, { note: 'say "hi",\r\nthen wait' })
  })

  it("keeps a last row that ends with a quote and makes the rows worth a write", async () => {
    const list = `phone_number,note\n${`+14155550132,${"x".repeat(9_000)}\n`.repeat(3)}+14155550133,"${"y".repeat(9_000)}"`
    const { rows } = await accepted(list, { rules: { ...skip, duplicate_policy: "keep" } })
    assert.lengthOf(rows, 4)
  })

  it("keeps names that mean something to JavaScript, and backslashes and tabs as they are", async () => {
    const { rows } = await accepted("phone_number;__proto__;constructor;toString\n+14155550132;a\\n\tb;c;\\\n")
    const fields = JSON.parse('{"__proto__":"a\\\\n\\tb","constructor":"c","toString":"\\\\"}')
    assert.deepStrictEqual(Object.entries(rows[0]?.custom_fields ?? {}), Object.entries(fields))
  })

  it.each([
    ["nothing", "", "is empty"],
    ["only a byte order mark", "\uFEFF", "is empty"],
    ["a header alone", "phone_number,a\n", "has a header but no rows"],
    ["a header and blank lines", "phone_number\n\n\n", "has a header but no rows"],
    ["no phone_number", "number,a\n1,2\n", "has no column named phone_number; it has number, a. Rename number to"],
    [
      "another spelling of it",
      "Phone_Number,a\n+14155550132,2\n",
      "it has Phone_Number, a. Rename Phone_Number to phone_number",
    ],
    ["a space in it", "a, phone number\n2,+14155550132\n", "Rename phone number to phone_number"],
    ["a shorter word", "name;Phone\na;+14155550132\n", "it has name, Phone. Rename Phone to phone_number"],
    ["no header", "+14155550132,Ada\n", "The first line must be a header, and one of its columns phone_number"],
    ["an empty name", "phone_number,,b\n+14155550132,1,2\n", "has no name for column 2"],
    ["a repeated name", "phone_number,a, a\n+14155550132,1,2\n", "has two columns named a. Rename one"],
    ["a quote that is not closed", 'phone_number,a\n+14155550133,2\n+14155550132,"1\n', 'line 3: a cell begins with "'],
    ["a quote in the middle of a name", 'phone_number,a"b\n+14155550132,1\n', 'line 1 has a " inside a cell'],
    ["carriage returns alone", "phone_number,a\r+14155550132,1\r", "ends its lines with a carriage return alone"],
    [
      "another delimiter stated",
      "sep=|\nphone_number|a\n+14155550132|1\n",
      "has the delimiter |. Save it with a comma",
    ],
    [
      "the name of a file",
      "contacts.csv",
      "is the text contacts.csv, not the contents of a file. With curl: -F contacts=@contacts.csv",
    ],
    ["a workbook", "PK\u0003\u0004xl/worksheets", 'is a workbook, not a CSV. Save the list as "CSV UTF-8"'],
    ["a NUL", "phone_number,a\n+14155550132,1\n+14155550133,\0\n", "line 3 has a NUL byte"],
  ])("with %s is refused", async (_, text, why) => {
    const said = await refusal(text)
    assert.include(said, why)
    assert.match(said, /^\/contacts /)
  })

  it.each([1, 3, 64])("with bytes that are no UTF-8 is refused with their line, in chunks of %i", async (chunk) => {
    const text = Buffer.concat([
      Buffer.from("phone_number,a\n+14155550132,é\n+14155550133,"),
      Buffer.from([0xe9, 0x0a]),
    ])
    assert.include(await refusal(text, { chunk }), "line 3 is not valid UTF-8")
  })

  it("leaves invalid rows out, and says where they begin and what is wrong", async () => {
    const { report, rows } = await accepted(
      [
        "phone_number,note",
        '+14155550131,"two',
        'lines"',
        "",
        "nobody,x",
        "+14155550132,y",
        "+14155550133",
        "+14155550134,a,b",
        "+14155550135,z",
        ",empty",
        "+14155550136,w",
        "",
      ].join("\r\n"),
    )
    assert.deepStrictEqual(
      rows.map((row) => [row.position, row.phone_number]),
      [
        [1, "+14155550131"],
        [2, "+14155550132"],
        [3, "+14155550135"],
        [4, "+14155550136"],
      ],
    )
    assert.include({ ...report, errors: 0 }, { rows: 8, accepted: 4, invalid: 4, duplicates: 0 })
    assert.deepStrictEqual(
      report.errors.map(({ code, column, line }) => [line, column, code]),
      [
        [5, "phone_number", "invalid_phone_number"],
        [7, null, "too_few_cells"],
        [8, null, "too_many_cells"],
        [10, "phone_number", "invalid_phone_number"],
      ],
    )
  })

  it("leaves out a row with a stray quote, and reads the others", async () => {
    const { report, rows } = await accepted(
      [
        "phone_number,note",
        '+14155550131,5" pipe',
        '+14155550132,"open" house',
        '"+14155550133","say ""hi"""',
        '+14155550134, "x"',
        '+14155550135,""',
        "+14155550136,y",
        "",
      ].join("\n"),
    )
    assert.deepStrictEqual(
      rows.map(({ custom_fields, phone_number }) => [phone_number, custom_fields.note]),
      [
        ["+14155550133", 'say "hi"'],
        ["+14155550135", ""],
        ["+14155550136", "y"],
      ],
    )
    assert.deepStrictEqual(
      report.errors.map(({ code, line }) => [line, code]),
      [
        [2, "invalid_quotes"],
        [3, "invalid_quotes"],
        [5, "invalid_quotes"],
      ],
    )
  })

  it.each(["utf16le", "utf16be"] as const)(
    "in %s is refused with what to do, with and without its mark",
    async (form) => {
      for (const mark of ["", "\uFEFF"]) {
        const bytes = Buffer.from(`${mark}phone_number\n+14155550132\n`, "utf16le")
        const said = await refusal(form === "utf16be" ? bytes.swap16() : bytes, { chunk: 64 })
        assert.include(said, 'is UTF-16. Save the list as "CSV UTF-8"')
      }
    },
  )

  it("with more than half of its rows invalid is refused; with half it is not", async () => {
    assert.strictEqual((await accepted("phone_number\n+14155550132\nx\n")).report.invalid, 1)
    assert.include(await refusal("phone_number\n+14155550132\nx\ny\n"), "2 invalid rows of 3")
  })

  it("lists at most 100 faults, and counts all", async () => {
    const numbers = Array.from({ length: 150 }, (_, at) => `+14155550${String(100 + at)}\nx${at}`)
    const { report } = await accepted(`phone_number\n${numbers.join("\n")}\n`, { chunk: 1_000 })
    assert.strictEqual(report.invalid, 150)
    assert.strictEqual(report.errors.length, 100)
  })

  it("over 10 MB is too large, with the byte that is one too many", async () => {
    const head = "phone_number,a\n+14155550132,"
    const size = 10 * 1_048_576
    const fits = `${head}${"x".repeat(9_000)}\n`.padEnd(size, "\n")
    assert.strictEqual((await accepted(fits, { chunk: 65_536 })).report.accepted, 1)
    assert.include(await refusal(`${fits}\n`, { chunk: 65_536 }), "at most 10485760 bytes")
  })
})

describe("repeated numbers", () => {
  const text = "phone_number,a\n+14155550132,1\n+1 (415) 555-0132,2\n+14155550133,3\n"
  it("are left out by default", async () => {
    const { report, rows } = await accepted(text)
    assert.deepStrictEqual(
      rows.map((row) => row.custom_fields.a),
      ["1", "3"],
    )
    assert.include({ ...report, errors: 0 }, { rows: 3, accepted: 2, duplicates: 1, invalid: 0 })
  })
  it("are kept where the form says so", async () => {
    const { report, rows } = await accepted(text, { rules: { ...skip, duplicate_policy: "keep" } })
    assert.deepStrictEqual(
      rows.map((row) => row.custom_fields.a),
      ["1", "2", "3"],
    )
    assert.include({ ...report, errors: 0 }, { rows: 3, accepted: 3, duplicates: 1 })
  })
  it("refuse the file where the form says so, with their lines", async () => {
    const said = await refusal(text, { rules: { ...skip, duplicate_policy: "reject" } })
    assert.include(said, "line 3: +14155550132 is already on line 2")
  })
})

describe("a list of national numbers", () => {
  const national = "phone_number,a\n020 7946 0018,1\n+442079460018,2\n+14155550132,3\n"
  it.each([
    [{ default_country: "GB", duplicate_policy: "skip" } as const, ["1", "3"]],
    [{ default_country: "GB", duplicate_policy: "keep" } as const, ["1", "2", "3"]],
    [{ default_country: undefined, duplicate_policy: "skip" } as const, ["2", "3"]],
  ])("is read by the rules of its form: %j", async (rules, expected) => {
    const { rows } = await accepted(national, { rules })
    assert.deepStrictEqual(
      rows.map((row) => row.custom_fields.a),
      expected,
    )
  })
})

describe("any well-formed list", () => {
  const cell = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .filter((text) => !text.includes("\0") && text.isWellFormed())
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  it("survives, whatever its delimiter, newlines, quoting, and the chunks it comes in", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          cell.filter((name) => name.trim() !== "" && name.trim() !== "phone_number"),
          {
            minLength: 1,
            maxLength: 4,
            selector: (name) => name.trim(),
          },
        ),
        fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(",", ";", "\t"),
        fc.constantFrom("\n", "\r\n"),
        fc.integer({ min: 1, max: 40 }),
        async (names, cells, delimiter, newline, chunk) => {
          const lines = cells.map((row, at) => [`+1415555${1_000 + at}`, ...row.slice(0, names.length).map(quoted)])
          const text = [["phone_number", ...names.map(quoted)], ...lines].map((line) => line.join(delimiter) + newline)
          const { columns, rows } = await accepted(text.join(""), { chunk })
          assert.deepStrictEqual(
            columns,
            names.map((name) => name.trim()),
          )
          assert.deepStrictEqual(
            rows.map((row) =>
              columns.map((name) => Object.entries(row.custom_fields).find(([key]) => key === name)?.[1]),
            ),
            cells.map((row) => row.slice(0, names.length)),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  it("that is no list at all is refused, never a crash", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 40 }), async (bytes, chunk) => {
        await imported(Buffer.concat([Buffer.from("phone_number,a\n"), bytes]), { chunk })
      }),
      { numRuns: 200 },
    )
  })
})
