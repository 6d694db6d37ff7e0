/** Bytes from strangers: whatever stands on the wire, the process lives and answers the next one. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { afterAll, inject } from "vitest"
import { emptyFolder, type Process, start } from "../../support/Process.ts"
import { handshake, openSocket, requestOf } from "../../support/RawSocket.ts"

const connections = 1_500
const atOnce = 25
/**
 * A connection that the server keeps open is let go by the client when nothing has come for so long, in milliseconds.
 */
const patience = 150

let server: Process | undefined
afterAll(() => void server?.child.kill("SIGKILL"))

const paths = [
  ...["/trpc-ws", "/hub-api/trpc-ws", "/trpc-ws?connectionParams=1", "/api/v1/widget/ws", "/trpc/agents.list"],
  ...["/api/tools", "/api/login", "/api/v1/campaigns", "/healthz", "/metrics", "/trpc/auth.login?batch=1", "/", "*"],
]
const twists = [
  ...[
    "",
    "//",
    "/",
    ";x",
    ";:x",
    "?",
    "#",
    "%",
    "%00",
    "%ff",
    "%2e%2e",
    "/../..",
    "\u0000",
    " ",
    "\r",
    "\u00ff",
    ":99999",
  ],
  ...["?connectionParams=1&connectionParams=2", "?input=%7B", `?${"x".repeat(5_000)}`, "?batch=1&input=[]"],
]
const hosts = [
  "localhost",
  "127.0.0.1",
  "[::1]",
  "[",
  "]",
  "a:99999",
  "a/b",
  "",
  " ",
  "\u0000",
  "evil.example",
  "@",
  "::",
]

const target = fc
  .tuple(fc.constantFrom(...paths), fc.constantFrom(...twists), fc.boolean())
  .map(([path, twist, before]) => (before ? twist + path : path + twist))
  .chain((path) => fc.constantFrom(path, path, `http://localhost${path}`, `https://[::1]${path}`))

const header = fc.oneof(
  fc.constantFrom(...hosts).map((host) => `Host: ${host}`),
  fc.constantFrom(
    ...["Content-Length: 5", "Content-Length: -1", "Content-Length: 5, 6", "Content-Length: 99999999999999999999"],
    ...["Transfer-Encoding: chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip"],
    ...["Connection: keep-alive", "Connection: Upgrade, close", "Upgrade: h2c", "Upgrade: websocket, x"],
    ...["Expect: 100-continue", "Expect: x", "Origin: null", "Origin: http://localhost", "Authorization: Bearer x"],
    ...["Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 7", "Sec-WebSocket-Extensions: permessage-deflate; x"],
    ...["Sec-WebSocket-Protocol: ,", "Content-Type: application/json", "Content-Type: multipart/form-data; boundary=x"],
    ...[" folded: x", "no colon", ": empty", "X-Request-Id: \u0001", `X: ${"y".repeat(20_000)}`, "Cookie: \u00ff"],
  ),
)
const method = fc.constantFrom(
  "GET",
  "POST",
  "PUT",
  "HEAD",
  "OPTIONS",
  "CONNECT",
  "TRACE",
  "PRI",
  "get",
  "",
  "G\u0000T",
)
const head = fc
  .tuple(method, target, fc.array(header, { maxLength: 4 }), fc.boolean(), fc.constantFrom("1.1", "1.0", "2.0", "x"))
  .map(([verb, path, headers, isUpgrade, version]) =>
    [
      `${verb} ${path} HTTP/${version}`,
      ...(isUpgrade ? ["Host: localhost", ...handshake] : []),
      ...headers,
      "",
      "",
    ].join("\r\n"),
  )

/** A frame of a WebSocket: of any kind, masked or not, as long as it says or not. */
const frame = fc
  .tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.boolean(),
    fc.integer({ min: 0, max: 127 }),
    fc.uint8Array({ maxLength: 200 }),
  )
  .map(([first, isMasked, length, payload]) => Buffer.from([first, (isMasked ? 0x80 : 0) | length, ...payload]))
const said = fc.constantFrom(
  ...["PING", "{", "[]", "null", '{"id":null}', '{"method":"connectionParams","data":{}}', "[".repeat(60_000)],
  ...['{"id":1,"method":"query","params":{"path":"agents.list"}}', '{"id":1,"method":"subscription.stop"}'],
  ...['{"id":{},"method":"subscription","params":{"path":"campaigns.live","input":{"id":"x"}}}', '{"method":"x"}'],
  `{"id":1,"method":"query","params":{"path":"agents.get","input":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}}`,
)
/** The text as one masked frame; a mask of zeros leaves it as it is. */
const framed = said.map((text) => {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(text.length))
  return Buffer.concat([Buffer.from([0x81, 0xff]), length, Buffer.alloc(4), Buffer.from(text)])
})
const valid = fc
  .constantFrom("/trpc-ws", "/trpc-ws?connectionParams=1", "/api/v1/widget/ws", "/healthz")
  .map((path) => requestOf(path, ["Host: localhost", ...handshake]).replace("Connection: close\r\n", ""))
/** A complete handshake, for a path and under a host that do not exist. */
const twisted = fc
  .tuple(
    fc.constantFrom("", "/", "//"),
    fc.constantFrom("trpc-ws", "api/v1/widget/ws"),
    fc.constantFrom(...twists),
    fc.constantFrom("localhost", ...hosts),
  )
  .chain(([slashes, path, twist, host]) =>
    fc
      .constantFrom("", `http://${host}`)
      .map((origin) => requestOf(origin + slashes + path + twist, [`Host: ${host}`, ...handshake])),
  )
  .map((request) => request.replace("Connection: close\r\n", ""))
const chunks = fc.constantFrom(
  "5\r\nhello\r\n",
  "0\r\n\r\n",
  "zz\r\n",
  "ffffffffffffffff\r\n",
  "-1\r\n",
  "5;x=y\r\nhello\r\n",
)
const bytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), chunks, frame, framed)

const conversation: fc.Arbitrary<ReadonlyArray<string | Uint8Array>> = fc.oneof(
  fc.tuple(head, fc.array(bytes, { maxLength: 3 })).map(([first, rest]) => [first, ...rest]),
  fc
    .tuple(valid, fc.array(fc.oneof(frame, framed), { minLength: 1, maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest]),
  fc
    .tuple(twisted, fc.array(fc.oneof(frame, framed), { minLength: 1, maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest]),
  // Pipelined: one request stands behind the other before the first is answered.
  fc.array(head, { minLength: 2, maxLength: 6 }),
  fc.array(bytes, { minLength: 1, maxLength: 3 }),
)
interface Run {
  readonly pieces: ReadonlyArray<string | Uint8Array>
  readonly ending: string
  readonly isOnePacket: boolean
}
const run: fc.Arbitrary<Run> = fc.record({
  pieces: conversation,
  ending: fc.constantFrom("reset", "half-close", "wait", "at once"),
  isOnePacket: fc.boolean(),
})

const play = async (url: string, { ending, isOnePacket, pieces }: Run) => {
  const socket = await openSocket(url, { allowHalfOpen: true })
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.setTimeout(patience, () => socket.destroy())
  socket.once("end", () => socket.destroy())
  socket.resume()
  const written = pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "latin1") : piece))
  for (const piece of isOnePacket ? [Buffer.concat(written)] : written) {
    if (!isOnePacket) await new Promise((resolve) => setImmediate(resolve))
    if (socket.writable) socket.write(piece)
  }
  if (ending === "at once") socket.destroy()
  else if (ending === "reset") socket.resetAndDestroy()
  else if (ending === "half-close") socket.end()
  await closed
}

describe("what strangers write to the port", () => {
  it("ends no process, and is answered by no 500", async () => {
    const database = new URL(inject("postgres"))
    database.pathname = `/parley_raw_${crypto.randomUUID().slice(0, 8)}`
    server = start({
      DATABASE_URL: database.href,
      PARLEY_DATA_DIR: emptyFolder(),
      DATABASE_MAX_CONNECTIONS: "20",
      LOG_LEVEL: "Warn",
    })
    const url = await server.ready
    const runs = fc.sample(run, { numRuns: connections, seed: 20_261_122 })
    for (let at = 0; at < runs.length; at += atOnce) {
      await Promise.all(runs.slice(at, at + atOnce).map((one) => play(url, one)))
      assert.isNull(server.child.exitCode, server.said().slice(-2_000))
    }
    const health = await fetch(`${url}/healthz`)
    assert.strictEqual(health.status, 200)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    assert.notMatch(metrics, /parley_http_requests_total\{[^}]*status="5xx"/, server.said().slice(-2_000))
    assert.isNull(server.child.exitCode)
  })
})
