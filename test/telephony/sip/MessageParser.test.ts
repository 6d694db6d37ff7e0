import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { parseAddress } from "../../../src/telephony/sip/Fields.ts"
import { fieldOf, valuesOf, writeRequest, writeResponse } from "../../../src/telephony/sip/Message.ts"
import { parseMessage } from "../../../src/telephony/sip/MessageParser.ts"

const folder = `${import.meta.dirname}/torture`
const names = readdirSync(folder).map((file) => file.replace(".dat", ""))
const bytesOf = (name: string) => readFileSync(`${folder}/${name}.dat`)
const parseDatagram = (bytes: Buffer | string) => parseMessage(Buffer.from(bytes), { isStream: false })

/** Status of the refusal, or "drop"; every other message is one. */
const unreadable: Record<string, number | "drop"> = {
  badinv01: 400,
  clerr: 400,
  ncl: 400,
  scalar02: 400,
  quotbal: 400,
  ltgtruri: 400,
  lwsruri: 400,
  lwsstart: 400,
  trws: 400,
  escruri: 400,
  badaspec: 400,
  baddn: 400,
  mismatch01: 400,
  mismatch02: 400,
  badvers: 505,
  multi01: 400,
  mcl01: 400,
  // Responses, and a request that lacks what an answer would have to repeat.
  scalarlg: "drop",
  bigcode: "drop",
  insuf: "drop",
}

describe("the messages of RFC 4475", () => {
  it.each(names)("%s is read, refused or dropped as the RFC says", (name) => {
    const message = parseDatagram(bytesOf(name))
    const verdict = message.kind !== "unreadable" ? "read" : (message.refusal?.status ?? "drop")
    assert.strictEqual(verdict, unreadable[name] ?? "read", message.kind === "unreadable" ? message.why : "")
  })

  it("reads compact names, folded lines, spaces and several values in one field (wsinv)", () => {
    const message = parseDatagram(bytesOf("wsinv"))
    assert.include(message, { kind: "request", method: "INVITE", cseq: 9 })
    if (message.kind !== "request") return
    assert.strictEqual(message.to.uri, "sip:vivekg@chair-dnrc.example.com")
    assert.strictEqual(message.to.params.get("tag"), "1918181833n")
    assert.deepStrictEqual(
      message.vias.map(({ host, params, transport }) => [transport, host, params.get("branch")]),
      [
        ["UDP", "192.0.2.2", "390skdjuw"],
        ["TCP", "spindle.example.com", "z9hG4bK9ikj8"],
        ["UDP", "192.168.255.111", "z9hG4bK30239"],
      ],
    )
    assert.strictEqual(valuesOf(message, "route").length, 1)
    assert.match(message.body.toString(), /^v=0\r\n/)
  })

  it("ignores bytes after the message in a datagram (dblreq)", () => {
    const message = parseDatagram(bytesOf("dblreq"))
    assert.include(message, { kind: "request", method: "REGISTER" })
    if (message.kind === "request") assert.strictEqual(message.body.length, 0)
  })
})

describe("length", () => {
  const request =
    "OPTIONS sip:a@b SIP/2.0\r\nv: SIP/2.0/TCP h;branch=z9hG4bK1\r\nf: <sip:a@b>;tag=1\r\nt: <sip:a@b>\r\n"
  const rest = "i: 1\r\nCSeq: 1 OPTIONS\r\n"
  it("is that of the datagram without Content-Length, and has to be stated on a stream", () => {
    const bytes = Buffer.from(`${request}${rest}\r\nabc`)
    const message = parseDatagram(bytes)
    assert.strictEqual(message.kind === "request" ? message.body.toString() : message.kind, "abc")
    assert.include(parseMessage(bytes, { isStream: true }), {
      kind: "unreadable",
      why: "no Content-Length on a stream",
    })
  })
  it("is limited", () => {
    assert.include(parseDatagram(Buffer.alloc(65_536, "a")), { kind: "unreadable", why: "too long" })
    const many = `${request}${"x: y\r\n".repeat(260)}${rest}\r\n`
    assert.include(parseDatagram(many), { kind: "unreadable", why: "too many header fields" })
  })
})

describe("writing", () => {
  it("round-trips what was parsed, and echoes it byte for byte", () => {
    const message = parseDatagram(bytesOf("intmeth"))
    if (message.kind !== "request") return assert.fail(message.kind)
    const written = writeRequest(
      message.method,
      message.uri,
      message.fields.filter(([name]) => name !== "content-length"),
    )
    const again = parseDatagram(written)
    assert.deepStrictEqual(again.kind === "request" ? again.from : null, message.from)
    assert.include(bytesOf("intmeth").toString("latin1"), message.from.display)
  })
  it("never breaks a line within a value", () => {
    const bytes = writeResponse(200, [["to", "<sip:a@b>\r\nRoute: <sip:evil>"]])
    assert.strictEqual(
      bytes.toString(),
      "SIP/2.0 200 OK\r\nTo: <sip:a@b>  Route: <sip:evil>\r\nContent-Length: 0\r\n\r\n",
    )
  })
})

describe("hostile input", () => {
  /** The same mutants in every run. */
  const random = (seed: number) => () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    return (seed >>> 0) / 2 ** 32
  }
  it("100,000 mutants of the torture messages cause no exception", () => {
    const next = random(7)
    const upTo = (count: number) => Math.floor(next() * count)
    const seeds = names.map(bytesOf)
    const kinds: Record<string, number> = {}
    for (let round = 0; round < 100_000; round++) {
      const bytes = Buffer.from(seeds[upTo(seeds.length)]!)
      for (let change = upTo(6); change >= 0; change--) {
        const at = upTo(bytes.length)
        const what = next()
        if (what < 0.4) bytes[at] = upTo(256)
        else if (what < 0.6) bytes.copy(bytes, at, upTo(bytes.length))
        else if (what < 0.8) bytes.fill(bytes[at]!, at, Math.min(bytes.length, at + upTo(40)))
        else bytes[at] = `<>";,:\r\n\\%`.charCodeAt(upTo(10))
      }
      const { kind } = parseMessage(bytes, { isStream: round % 2 === 0 })
      kinds[kind] = (kinds[kind] ?? 0) + 1
    }
    assert.isAbove(kinds["request"]!, 1_000)
    assert.isAbove(kinds["response"]!, 1_000)
    assert.isAbove(kinds["unreadable"]!, 1_000)
  })

  const ofLength = (text: string) => text.repeat(Math.floor(16_000 / text.length))
  const hostile = [
    '"',
    "\\",
    "<",
    ",",
    ";",
    " ",
    "\t",
    "a",
    "=",
    ":",
    "%",
    "/",
    "\r\n ",
    "a=",
    '",',
    "SIP/2.0/",
    "1",
    "[",
    "(",
    "z\r\n",
  ]
  it.each(hostile.map((text) => [JSON.stringify(text), text] as const))(
    "a header full of %s holds the loop for less than 20 ms",
    (_, text) => {
      for (const name of ["Via", "From", "To", "CSeq", "Contact", "Call-ID", "Content-Length", "Max-Forwards"]) {
        for (const start of ["", "SIP/2.0/UDP h;branch=", '"']) {
          const head = "INVITE sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP h\r\nTo: <sip:a@b>\r\n"
          const bytes = Buffer.from(`${head}${name}: ${start}${ofLength(text)}\r\n\r\n`)
          const began = process.threadCpuUsage()
          const message = parseDatagram(bytes)
          if (message.kind !== "unreadable") valuesOf(message, "contact").map(parseAddress)
          const { system, user } = process.threadCpuUsage(began)
          assert.isBelow((user + system) / 1_000, 20, `${name}: ${start}`)
        }
      }
    },
  )

  it("a head of more than 16 KiB, or more Vias than a request may pass proxies, is not read", () => {
    const head = (fields: string) =>
      `OPTIONS sip:a@b SIP/2.0\r\n${fields}\r\nf: sip:a@b\r\nt: sip:c@d\r\ni: x\r\nCSeq: 1 OPTIONS`
    const via = "Via: SIP/2.0/UDP h"
    assert.include(parseDatagram(`${head(via)}\r\nX: ${"a".repeat(16_000)}\r\n\r\n`), { kind: "request" })
    assert.include(parseDatagram(`${head(via)}\r\nX: ${"a".repeat(16_400)}\r\n\r\n`), { kind: "unreadable" })
    assert.include(parseDatagram(`${head(`${via}${", SIP/2.0/UDP h".repeat(69)}`)}\r\n\r\n`), { kind: "request" })
    assert.include(parseDatagram(`${head(`${via}${", SIP/2.0/UDP h".repeat(70)}`)}\r\n\r\n`), { kind: "unreadable" })
  })

  it("the first line is limited too", () => {
    assert.include(parseDatagram(`INVITE ${ofLength("a")} SIP/2.0\r\nVia: x\r\n\r\n`), { kind: "unreadable" })
  })

  it("a field is found by its full name", () => {
    const message = parseDatagram(
      "SIP/2.0 200 \r\nv: SIP/2.0/UDP [::1]:5060\r\nf: sip:a@b\r\nt: sip:c@d\r\ni: x\r\nCSeq: 1 BYE\r\n\r\n",
    )
    assert.strictEqual(message.kind === "response" ? fieldOf(message, "call-id") : message.kind, "x")
  })
})
