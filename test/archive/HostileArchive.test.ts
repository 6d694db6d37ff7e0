/** Archives whose author knows the passphrase and means harm: what a reader meets is refused, or it is a plain value. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { format, ManifestText, names } from "../../src/archive/ArchiveFormat.ts"
import { archiveKey } from "../../src/archive/ArchiveKey.ts"
import { readArchive } from "../../src/archive/ArchiveReader.ts"
import { type Entry, entryOf, writeArchive } from "../../src/archive/ArchiveWriter.ts"
import { checkArchive } from "../../src/archive/CheckArchive.ts"
import { tablePlan } from "../../src/archive/TablePlan.ts"
import { headerOf, trailer } from "../../src/archive/Tar.ts"
import * as Migrations from "../../src/tenancy/Migrations.ts"
import { emptyFolder } from "../support/Process.ts"

const passphrase = "a passphrase for the archive"
const id = "01990000-0000-7000-8000-000000000001"
const account = {
  account: {
    slug: "acme",
    name: "Acme",
    concurrent_max: 1,
    calls_per_minute: 1,
    calls_per_day: 1,
    time_zone: "UTC",
    calling_window: null,
    transcript_days: null,
    recording_days: null,
    call_days: null,
    event_days: null,
    discoverable: false,
    status: "active",
    created_at: "2026-11-24T00:00:00.000Z",
  },
  members: [],
}

const key = archiveKey(passphrase)

/** A signed archive of these entries, and of what the manifest says of them. */
const signed = async (entries: ReadonlyArray<Entry>, manifest: object = {}): Promise<string> => {
  const file = join(emptyFolder(), "hostile.tar.gz")
  const { salt, seal, sign } = await key
  async function* all(digest: () => string) {
    yield* entries
    const text = Buffer.from(
      Schema.encodeUnknownSync(ManifestText)({
        format,
        kind: "move",
        parley: "0",
        schema_version: Migrations.newestOfTenant,
        exported_at: "2026-11-24T00:00:00.000Z",
        account_id: id,
        tables: [],
        recordings: 0,
        recordings_missing: 0,
        sha256: digest(),
        key: { salt, sealed: seal(id, new Uint8Array(32)) },
        ...manifest,
      }),
    )
    yield entryOf(names.manifest, text)
    yield entryOf(names.signature, Buffer.from(sign(text)))
  }
  await writeArchive(all, { file, modified: 0, mostBytes: 1e9, signal: new AbortController().signal })
  return file
}

const owned = entryOf(names.account, Buffer.from(JSON.stringify(account)))

const whyNot = (file: string, mostBytes = 1e9) =>
  Effect.runPromise(
    checkArchive(file, passphrase, mostBytes).pipe(
      Effect.flip,
      Effect.map(({ message }) => message),
    ),
  )

const raw = (...blocks: ReadonlyArray<Buffer>): string => {
  const file = join(emptyFolder(), "raw.tar.gz")
  writeFileSync(file, gzipSync(Buffer.concat([...blocks, trailer])))
  return file
}

describe("an archive", () => {
  it("is accepted if it is well", async () => {
    const { document, manifest } = await Effect.runPromise(checkArchive(await signed([owned]), passphrase, 1e9))
    assert.strictEqual(document.account.slug, "acme")
    assert.strictEqual(manifest.account_id, id)
  })

  it.each([
    "../../etc/cron.d/parley",
    "/etc/passwd",
    "recordings/../x.wav",
    "recordings/0.wav",
    "data/calls-1.jsonl",
    'data/"; drop table calls-00001.jsonl',
    "data/pg_authid-00001.sql",
    "",
  ])("has no entry of the name %j", async (name) => {
    assert.match(await whyNot(await signed([owned, entryOf(name, Buffer.from("x"))])), /has no entry/)
  })

  it("has only plain files", async () => {
    for (const kind of ["1", "2", "5", "x", "g", "L", "K", "S"]) {
      const header = headerOf(names.readme, 0, 0)
      const before = header[156] ?? 0
      header.write(kind, 156)
      const sum = Number.parseInt(header.toString("latin1", 148, 154), 8) + (header[156] ?? 0) - before
      header.write(`${sum.toString(8).padStart(6, "0")}\0`, 148)
      assert.match(await whyNot(raw(header)), /not a plain file/)
    }
  })

  it("has its entries once, in their order, and only of known tables", async () => {
    const rows = (table: string) => entryOf(names.rows(table, 1), Buffer.from("{}\n"))
    assert.match(await whyNot(await signed([rows("calls"), owned])), /account\.json in the wrong place/)
    assert.match(await whyNot(await signed([owned, rows("calls"), rows("tools")])), /rows of tools in the wrong place/)
    assert.match(await whyNot(await signed([owned, rows("pg_authid")])), /no table pg_authid/)
    assert.match(await whyNot(await signed([owned, rows("schema_migrations")])), /no table schema_migrations/)
    assert.match(await whyNot(await signed([owned, rows("calls")])), /was changed/)
    assert.match(await whyNot(await signed([])), /not complete/)
  })

  it("is of a format and a schema that are known, and for a move", async () => {
    assert.match(await whyNot(await signed([owned], { format: format + 1 })), /has the format 2.*newer release/)
    assert.match(
      await whyNot(await signed([owned], { schema_version: Migrations.newestOfTenant + 1 })),
      /has the schema .*newer release/,
    )
    assert.match(await whyNot(await signed([owned], { kind: "copy" })), /copy for the account's owner/)
    assert.match(await whyNot(await signed([owned], { sha256: "0" })), /was changed/)
    const evil = entryOf(names.account, Buffer.from(JSON.stringify({ account: { slug: "../x" }, members: [] })))
    assert.match(await whyNot(await signed([evil])), /not what this Parley expects/)
  })

  it("cannot become endless: neither as a whole, nor as a document or a line", async () => {
    const zeros = Buffer.alloc(1024 * 1024)
    async function* endless() {
      for (let count = 0; count < 80; count++) yield zeros
    }
    const bomb = await signed([owned, { name: names.sound(id), size: 80 * zeros.length, content: endless() }])
    assert.match(await whyNot(bomb, 50e6), /more than 50000000 bytes when it is unpacked/)
    const line = { name: names.rows("calls", 1), size: 80 * zeros.length, content: endless() }
    assert.match(await whyNot(await signed([owned, line])), /is longer than/)
    const document = { name: names.readme, size: 80 * zeros.length, content: endless() }
    assert.match(await whyNot(await signed([document])), /README\.txt is longer than/)
    assert.match(await whyNot(raw(headerOf(names.sound(id), 5 * 1024 ** 3, 0))), /is longer than/)
  })

  it("is as it was written", async () => {
    const tar = gunzipSync(readFileSync(await signed([owned])))
    tar.write("Acne", tar.indexOf("Acme"))
    const file = join(emptyFolder(), "changed.tar.gz")
    writeFileSync(file, gzipSync(tar))
    assert.match(await whyNot(file), /was changed/)
    writeFileSync(file, "not an archive")
    assert.match(await whyNot(file), /not an archive of Parley/)
  })

  it("has rows of UTF-8, with an end", async () => {
    const rows = (content: string | Buffer) => entryOf(names.rows("calls", 1), Buffer.from(content))
    assert.match(await whyNot(await signed([owned, rows(Buffer.from([0xff, 0x0a]))])), /not UTF-8/)
    assert.match(await whyNot(await signed([owned, rows("{}")])), /has no end/)
  })

  it("gives whole lines, wherever the pieces are cut", async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => JSON.stringify({ at, text: "ä\u2028".repeat(at % 300) }))
    const file = await signed([entryOf(names.rows("calls", 1), Buffer.from(`${lines.join("\n")}\n`))])
    const found: Array<string> = []
    for await (const part of readArchive(file, 1e9)) if (part.kind === "rows") found.push(...part.lines)
    assert.deepStrictEqual(found, lines)
  })
})

/**
 * The tables that no archive has: live calls and what they hold (an account is exported for a move when it has none), answers that another
 * installation's key seals, words that are made of the FAQs again, and the schema's own.
 */
const leftOut = [
  "live_calls",
  "held_lines",
  "live_chats",
  "call_offers",
  "idempotency",
  "exports",
  "faq_vocabulary",
  "faq_words",
  "schema_functions",
  "schema_migrations",
]

describe("the plan of tables", () => {
  const schema = readFileSync("migrations/tenant/schema.sql", "utf8")

  it("has every table of the schema, or leaves it out with a reason", () => {
    const tables = [...schema.matchAll(/^create table (\w+) \(/gm)].map(([, table]) => table ?? "")
    const planned = [...tablePlan.map(({ table }) => table), ...leftOut]
    assert.deepStrictEqual(planned.toSorted(), tables.toSorted())
  })
  it("has a table after those that its foreign keys name", () => {
    const order = tablePlan.map(({ table }) => table)
    for (const [, table = "", body = ""] of schema.matchAll(/^create table (\w+) \(\n([^]*?)^\)/gm)) {
      for (const [, other = ""] of body.matchAll(/REFERENCES (\w+)\(/g)) {
        if (order.includes(table)) assert.isBelow(order.indexOf(other), order.indexOf(table), `${table} → ${other}`)
      }
    }
  })
  it("gives a copy no column that is a secret by its name", () => {
    for (const [, table = "", body = ""] of schema.matchAll(/^create table (\w+) \(\n([^]*?)^\)/gm)) {
      const plan = tablePlan.find((one) => one.table === table)
      if (plan?.kind !== "data") continue
      for (const [, column = ""] of body.matchAll(/^ {2}(\w*(?:secret|password|token)\w*) /gm)) {
        assert.include(plan.secretColumns ?? [], column, table)
      }
    }
  })
})
