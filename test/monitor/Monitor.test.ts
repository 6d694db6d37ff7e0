import { afterAll, assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import type { Client } from "../support/TestServer.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"
import { wireTo } from "../support/Wire.ts"

interface Run {
  readonly out: () => string
  readonly errors: () => string
  readonly code: Promise<number | string>
  readonly type: (keys: string) => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** As soon as it has said so. */
  readonly said: (pattern: RegExp, where?: "out" | "errors") => Promise<void>
}

const inherited = {
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
}
const command = (args: ReadonlyArray<string>) => [process.execPath, "apps/monitor/main.ts", ...args]

const children: Array<ChildProcess> = []
afterAll(() => children.forEach((child) => child.kill("SIGKILL")))

const run = ([file = "", ...args]: ReadonlyArray<string>, env: Record<string, string> = {}): Run => {
  const child = spawn(file, args, { env: { ...inherited, ...env }, stdio: ["pipe", "pipe", "pipe"] })
  const text = { out: "", errors: "" }
  const waiting = new Set<() => void>()
  const hear = (where: "out" | "errors") => (chunk: Buffer) => {
    text[where] += chunk.toString()
    for (const check of waiting) check()
  }
  child.stdout.on("data", hear("out"))
  child.stderr.on("data", hear("errors"))
  child.stdin.on("error", () => undefined)
  children.push(child)
  return {
    out: () => text.out,
    errors: () => text.errors,
    code: once(child, "close").then(([code, signal]) => code ?? signal),
    type: (keys) => void child.stdin.write(keys),
    kill: (signal) => void child.kill(signal),
    said: (pattern, where = "out") =>
      new Promise((resolve) => {
        const check = () => {
          if (!pattern.test(text[where])) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}

/** What it is told by its environment; flags are stronger. */
const monitor = (url: string, client: Client, ...args: ReadonlyArray<string>) =>
  run(command(args), { PARLEY_TOKEN: client.token, PARLEY_URL: url, PARLEY_ACCOUNT: client.account })

/** A minute of real time and more at the pace of the tests, however long the monitor takes to be there. */
const long = { max_concurrent_calls: "2" }

layer(TestServer.layerWith({ LAB_SPEED: "20" }), sideBySide)("the monitor", (it) => {
  it.effect("follows a campaign to its end over a line that is cut and noisy, and misses nothing", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const wire = await wireTo(url)
      const { id } = await own.running(numbersOf("01", 60), { ...long, name: "Recall" })
      const seen = monitor(wire.url, owner, id, "--json")
      await seen.said(/"status":"running"/)
      assert.isAtLeast(wire.cut(), 1)
      await seen.said(/back after .* at event \d+, nothing missed/, "errors")
      wire.garble('id: 1\ndata: {"status":\u0000\n\n')
      wire.cut()
      // What is left goes through at once.
      assert.strictEqual((await owner.put(`/api/v1/campaigns/${id}`, { max_concurrent_calls: 60 })).status, 200)
      assert.strictEqual(await seen.code, 0)
      const lines = seen
        .out()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const last = lines.at(-1)
      assert.deepStrictEqual([last.status, last.counts.completed], ["completed", 60])
      assert.deepStrictEqual(last.campaign_id, id)
      assert.isTrue(lines.every((line, at) => at === 0 || line.dialed >= lines[at - 1].dialed))
      assert.match(seen.errors(), /connection lost: /)
      await wire.stop()
    }),
  )
  it.effect("prints a line a snapshot where no terminal is, and the table of outcomes at the end", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      await own.running(["+14155550101", "+14155550185"], { name: "Two people" })
      const seen = monitor(url, owner, "Two people")
      assert.strictEqual(await seen.code, 0, seen.errors())
      assert.match(seen.out(), /^\d\d:\d\d:\d\d Two people \w+ \d\/2 \d+% in-call \d rate \d+\/min eta \S+ waiting -$/m)
      assert.match(seen.out(), /● answered +1 +50% /)
      assert.match(seen.out(), /⊘ declined +1 +50% /)
      assert.match(seen.out(), /completed \d\d:\d\d:\d\d, finished \(end_reason finished\)\.$/m)
      assert.notInclude(seen.out(), "\u001b")
    }),
  )
  it.effect("follows all that run, and those that begin while it looks on", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const first = await own.running(numbersOf("02", 200), { ...long, name: "First" })
      const seen = monitor(url, owner, "--json")
      await seen.said(new RegExp(first.id))
      const second = await own.running(numbersOf("03", 200, 2_000), { ...long, name: "Second" })
      await seen.said(new RegExp(second.id))
      seen.kill("SIGINT")
      assert.strictEqual(await seen.code, 130)
      await Promise.all([first, second].map(({ id }) => own.operate(id, "stop")))
    }),
  )
  it.effect("ends with 3 when the campaign was stopped", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const { id } = await own.running(numbersOf("01", 100), { max_concurrent_calls: "1" })
      const seen = monitor(url, owner, id)
      await seen.said(/ running /)
      await own.operate(id, "stop")
      assert.strictEqual(await seen.code, 3, seen.errors())
      assert.match(seen.out(), /end_reason stopped/)
    }),
  )
  it.effect("ends with 2 when the stream was lost for longer than it was told to wait", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const wire = await wireTo(url)
      const { id } = await own.running(numbersOf("01", 100), { max_concurrent_calls: "1" })
      const seen = monitor(wire.url, owner, id, "--patience", "1")
      await seen.said(/ running /)
      wire.refuse(true)
      wire.cut()
      assert.strictEqual(await seen.code, 2)
      assert.match(seen.errors(), /cannot be had/)
      await own.operate(id, "stop")
      await wire.stop()
    }),
  )
  it.effect.each([
    {
      what: "there is no such campaign",
      args: ["01a1ff58-60d9-7154-9c7e-af1fd1fb4ddd"],
      code: 4,
      says: /No campaign/i,
    },
    {
      what: "there is no campaign of that name",
      args: ["Nobody's"],
      code: 4,
      says: /There is no campaign "Nobody's"/,
    },
    { what: "the token is wrong", args: ["--token", "pak_wrong"], code: 5, says: /401/ },
    { what: "the account is another one", args: ["--account", "nobody-s"], code: 4, says: /account_not_found/ },
    { what: "no server listens there", args: ["--url", "http://127.0.0.1:9"], code: 2, says: /./ },
    { what: "the address is none", args: ["--url", "nowhere"], code: 64, says: /nowhere/ },
    { what: "it is told what it does not know", args: ["--colour", "red"], code: 64, says: /--colour/ },
    { what: "it should be infinitely patient", args: ["--patience", "0"], code: 64, says: /1 and 86400/ },
  ])("ends with $code and a sentence when $what", ({ args, code, says }) =>
    Effect.flatMap(TestServer, (server) =>
      Effect.promise(async () => {
        const owner = await server.ownerOf("demo")
        const seen = monitor(server.url, owner, ...args)
        assert.strictEqual(await seen.code, code, seen.errors())
        assert.match(seen.errors(), says)
        assert.notInclude(seen.errors(), owner.token)
      }),
    ),
  )
  it.effect("signs in by the development login when it is given an email", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const { id } = await own.draft(["+14155550101"])
      await own.operate(id, "stop")
      const email = `owner@${owner.account}.example`
      const seen = run(command(["--url", url, "--account", owner.account, "--email", email, id]))
      assert.strictEqual(await seen.code, 3, seen.errors())
    }),
  )
  it.effect("draws on a terminal, goes over to plain lines at p, and leaves it as it was at q", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const { id } = await own.running(numbersOf("01", 100), { max_concurrent_calls: "1", name: "On the screen" })
      const line = command(["--url", url, "--account", owner.account, id]).join(" ")
      const seen = run(["script", "-qec", `stty cols 90 rows 30; ${line}`, "/dev/null"], {
        PARLEY_TOKEN: owner.token,
        TERM: "xterm-256color",
      })
      await seen.said(/ answered /)
      await seen.said(/q quit/)
      assert.include(seen.out(), "\u001b[?25l")
      seen.type("\r")
      await seen.said(new RegExp(`/console/${owner.account}/campaigns/${id}`.slice(0, 40)))
      seen.type("p")
      await seen.said(/On the screen running \d+\/100 /)
      seen.type("q")
      assert.strictEqual(await seen.code, 0, seen.out())
      assert.include(seen.out(), "\u001b[?25h")
      await own.operate(id, "stop")
    }),
  )
})

/** `script` gives a program a terminal; it is part of util-linux. */
execFileSync("script", ["--version"])
