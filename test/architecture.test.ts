/** The house rules, kept as tests: which room may import which, one library one door, and how a file looks. */
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"

/** The rooms in their order: a room imports those above it. The files beside the rooms know every room. */
const rooms = [
  ...["domain", "telemetry", "languages", "tenancy", "cluster", "outbound", "offload", "identity", "catalog", "events"],
  ...["speech", "telephony", "recording", "tools", "brain", "conversation", "calls", "rehearsal", "campaigns"],
  ...["archive", "erasure", "audit", "rpc", "http", "cli"],
]

/** Files deeper in a room that requests may enter by. */
const deepDoors = [
  "calls/callers/TelnyxCallers.ts",
  "calls/callers/TwilioCallers.ts",
  "calls/live/LiveView.ts",
  "calls/visitors/Chats.ts",
  "campaigns/lists/ContactRows.ts",
  "campaigns/lists/CsvText.ts",
  "campaigns/lists/ListRefused.ts",
  "campaigns/lists/NumberFormat.ts",
]

/** What campaigns know of calls, and of the rooms that only calls are made of, is this file. */
const doorOfCalls = "calls/Calls.ts"
const behindCalls = ["speech", "telephony", "recording", "tools", "brain", "conversation", "calls", "rehearsal"]

/** The rooms that know a library: one where it can be, so that its words stay there. */
const doorsOf: Record<string, ReadonlyArray<string>> = {
  "@effect/sql-pg": ["tenancy"],
  pg: ["tenancy"],
  "pg-copy-streams": ["tenancy"],
  jose: ["identity"],
  "@hyperjump/json-schema": ["catalog"],
  "@hyperjump/browser": ["catalog"],
  "@lezer/common": ["catalog"],
  "@lezer/python": ["catalog"],
  liquidjs: ["catalog"],
  diff: ["catalog"],
  undici: ["speech", "telephony", "tools", "brain"],
  pyodide: ["tools"],
  "onnxruntime-node": ["speech"],
  // Embeddings, replies, and the model that plays a caller.
  ai: ["tools", "brain", "rehearsal"],
  "@ai-sdk/provider": ["tools", "brain", "rehearsal"],
  "@ai-sdk/openai": ["tools", "brain"],
  "@ai-sdk/openai-compatible": ["tools", "brain"],
  "@ai-sdk/anthropic": ["brain"],
  "@ai-sdk/google": ["tools", "brain"],
  "ipaddr.js": ["outbound"],
  standardwebhooks: ["events"],
  "libphonenumber-js": ["campaigns", "catalog"],
  "libphonenumber-geo-carrier": ["catalog"],
  "@fastify/busboy": ["http"],
  "effect/http-api": ["http"],
  "effect/cluster": ["cluster"],
  "@trpc/server": ["rpc"],
  zod: ["rpc"],
  ws: ["speech", "telephony", "rpc"],
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"))
  .toSorted()

const textOf = (file: string) => readFileSync(`src/${file}`, "utf8")
const roomOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "")

/** What a file imports: paths under `src` for our own, the bare specifier for everything else. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...textOf(file).matchAll(/^(?:import|export|\}).* from "([^"\s]+)"$|\bimport\(?\s*"([^"\s]+)"/gm)]
    .map((match) => match[1] ?? match[2] ?? "")
    .map((specifier) => (specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : specifier))

/** What a text imports to run, types left aside. */
const valuesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import (?!type\b)|export (?:\*|\{))[^"]*"([^"\s]+)"$/gm)].map((match) => match[1] ?? "")

const libraryOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
/** A part of a library, such as `effect/cluster`, whichever of its modules is imported. */
const partOf = (specifier: string): string => specifier.split("/", 2).join("/")

/** `file → what it did`, for every file that broke the rule: the failing test is the list of what to mend. */
const offences = (among: ReadonlyArray<string>, offencesOf: (file: string) => ReadonlyArray<string>) =>
  among.flatMap((file) => offencesOf(file).map((offence) => `${file} → ${offence}`))

const inRoom = (room: string) => files.filter((file) => roomOf(file) === room)
const ownImports = (file: string) => importsOf(file).filter((target) => files.includes(target))

describe("the rooms", () => {
  const inRooms = files.filter((file) => roomOf(file) !== "")

  it("are those of the list", () => {
    assert.deepStrictEqual(new Set(inRooms.map(roomOf)), new Set(rooms))
  })
  it("import only the rooms above them, and never what is beside the rooms", () => {
    const strangers = (file: string) =>
      ownImports(file).filter((target) => {
        const room = roomOf(target)
        return room !== roomOf(file) && !rooms.slice(0, rooms.indexOf(roomOf(file))).includes(room)
      })
    assert.deepStrictEqual(offences(inRooms, strangers), [])
  })
  it("campaigns enters calls by its door", () => {
    const besideTheDoor = (file: string) =>
      ownImports(file).filter((target) => behindCalls.includes(roomOf(target)) && target !== doorOfCalls)
    assert.deepStrictEqual(offences(inRoom("campaigns"), besideTheDoor), [])
  })
  it.each(["http", "rpc"])("%s knows only the top of other rooms, and the doors that are named above", (room) => {
    const tooDeep = (file: string) =>
      ownImports(file).filter(
        (target) => roomOf(target) !== room && target.split("/").length > 2 && !deepDoors.includes(target),
      )
    assert.deepStrictEqual(offences(inRoom(room), tooDeep), [])
  })
  it("what forms share brings nothing but zod, and files that bring nothing themselves", () => {
    const inputs = files.filter((file) => file.startsWith("rpc/inputs/"))
    const bringsNothing = (file: string, specifier: string) =>
      specifier.startsWith(".") && valuesOf(textOf(posix.join(posix.dirname(file), specifier))).length === 0
    const brought = (file: string) =>
      valuesOf(textOf(file)).filter(
        (specifier) => specifier !== "zod" && !specifier.startsWith("./") && !bringsNothing(file, specifier),
      )
    assert.deepStrictEqual(offences(inputs, brought), [])
  })
  it("apps take types of the router, and values of the domain and of what forms share", () => {
    const apps = readdirSync("apps", { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file))
    const taken = (file: string) =>
      valuesOf(readFileSync(`apps/${file}`, "utf8"))
        .filter((specifier) => file !== "server/build.ts" || specifier !== "../../src/ServerBuild.ts")
        .filter((specifier) => /^(?:\.\.\/)+src\//.test(specifier))
        .filter((specifier) => !/\/src\/(?:domain|rpc\/inputs)\//.test(specifier))
    assert.deepStrictEqual(offences(apps, taken), [])
  })
  it("domain is pure: it imports effect alone", () => {
    const impure = (file: string) =>
      importsOf(file).filter((target) => target !== "effect" && roomOf(target) !== "domain")
    assert.deepStrictEqual(offences(inRoom("domain"), impure), [])
  })
})

describe("libraries", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"))

  it("are known to their rooms alone", () => {
    const foreign = (file: string) =>
      importsOf(file).filter((target) => {
        const doors = doorsOf[libraryOf(target)] ?? doorsOf[partOf(target)]
        return doors !== undefined && !doors.includes(roomOf(file))
      })
    assert.deepStrictEqual(offences(files, foreign), [])
  })
  it("that src imports are installed where nothing is developed", () => {
    const missing = (file: string) =>
      importsOf(file)
        .filter((target) => !files.includes(target) && !target.startsWith("node:"))
        .filter((target) => !(libraryOf(target) in { ...manifest.dependencies, ...manifest.optionalDependencies }))
    assert.deepStrictEqual(offences(files, missing), [])
  })
  it("of Node's platform are imported module by module, because their index loads a client for Redis", () => {
    const index = "@effect/platform-node"
    assert.deepStrictEqual(
      offences(files, (file) => importsOf(file).filter((target) => target === index)),
      [],
    )
  })
  it("are pinned to one version", () => {
    const pins = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap((group) =>
      Object.entries<string>(group),
    )
    assert.deepStrictEqual(
      pins.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)),
      [],
    )
  })
})

describe("a file", () => {
  const found = (pattern: RegExp) => (file: string) => [...(textOf(file).match(pattern) ?? [])]

  it("is named after what it owns, and so is its folder", () => {
    const vague = /^(?:index|types?|utils?|helpers?|common|shared|services?|misc|constants)(?:\.ts)?$/i
    assert.deepStrictEqual(
      offences(files, (file) => file.split("/").filter((name) => vague.test(name))),
      [],
    )
  })
  it("says in its first line what it owns", () => {
    const says = /^\/\*\*(?: |\n \* )\S/
    assert.deepStrictEqual(
      files.filter((file) => !says.test(textOf(file))),
      [],
    )
  })
  it("owns one thing: it has 350 lines at most", () => {
    const long = (file: string) => {
      const lines = textOf(file).trimEnd().split("\n").length
      return lines > 350 ? [`${lines} lines`] : []
    }
    assert.deepStrictEqual(offences(files, long), [])
  })
  it("takes time, chance and settings from Effect", () => {
    const own = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.env\b/g
    assert.deepStrictEqual(offences(files, found(own)), [])
  })
  it("decodes the rows of its statements by tenancy/Rows.ts, which compiles a decoder once", () => {
    assert.deepStrictEqual(offences(files, found(/\bSqlSchema\b/g)), [])
  })
  it("silences no check and leaves nothing for later", () => {
    assert.deepStrictEqual(offences(files, found(/@ts-\w+|(?:ox|es)lint-disable|\b(?:TODO|FIXME|XXX|HACK)\b/g)), [])
  })
})

describe("migrations", () => {
  const numbered = (family: string) => readdirSync(`migrations/${family}`).filter((file) => /^\d/.test(file))
  const functionFiles = readdirSync("migrations/tenant/functions")

  it.each(["platform", "tenant"])("of %s are numbered without a gap", (family) => {
    const numbers = numbered(family)
      .toSorted()
      .map((file) => Number(/^(\d{4})_[a-z_]+\.sql$/.exec(file)?.[1]))
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, at) => at + 1),
    )
  })
  it("give no record an account column: tenants never share storage (spec §1)", () => {
    for (const file of numbered("tenant")) {
      assert.notMatch(readFileSync(`migrations/tenant/${file}`, "utf8"), /\baccount_(?:id|slug)\b/, file)
    }
  })
  it("define each function in the file of its name", () => {
    for (const file of functionFiles) {
      const text = readFileSync(`migrations/tenant/functions/${file}`, "utf8")
      const made = [...text.matchAll(/^create or replace function (\w+)\(/gm)].map(([, name]) => `${name}.sql`)
      assert.deepStrictEqual(made, [file])
      assert.match(text, /^-- \S/, file)
    }
    for (const file of numbered("tenant")) {
      assert.notMatch(readFileSync(`migrations/tenant/${file}`, "utf8"), /create (?:or replace )?function/, file)
    }
  })
  it.each([
    ["the calls of today", "calls_of_today", /\bcalls_today else\b/],
    ["the slots of running campaigns", "running_slots", /\bsum\((?:\w+\.)?max_concurrent_calls\)/],
    ["the counts of a campaign", "campaign_counts", /'skipped', (?:\w+\.)?skipped\b/],
  ])("ask for %s in %s alone", (_, name, question) => {
    const texts = [
      ...files.map((file) => `src/${file}`),
      ...functionFiles.map((file) => `migrations/tenant/functions/${file}`),
    ].filter((file) => question.test(readFileSync(file, "utf8")))
    assert.deepStrictEqual(texts, [`migrations/tenant/functions/${name}.sql`])
  })
  it("bring changed functions to every account: the newest that names the functions names those of today", () => {
    const named = numbered("tenant")
      .toSorted()
      .flatMap((file) =>
        Array.from(
          readFileSync(`migrations/tenant/${file}`, "utf8").matchAll(/^-- Functions (\w+)/gm),
          ([, digest]) => digest,
        ),
      )
    const texts = functionFiles.toSorted().map((file) => readFileSync(`migrations/tenant/functions/${file}`, "utf8"))
    const digest = createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 12)
    assert.strictEqual(
      named.at(-1),
      digest,
      `add a numbered file to migrations/tenant with the line "-- Functions ${digest}"`,
    )
  })
})

describe("apps", () => {
  const apps = readdirSync("apps", { recursive: true, encoding: "utf8" })
    .map((file) => `apps/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.tsx?$/.test(file))
    .toSorted()
  const text = (file: string) => readFileSync(file, "utf8")

  /** What the apps import of the server: its router as a type, and what its forms and its domain share with it. */
  const shared = /^src\/(?:domain|rpc\/inputs)\//

  it("take of the server its router's type, its domain and its inputs, and nothing else", () => {
    const taken = (file: string) =>
      [...text(file).matchAll(/^(import(?: type)?|export(?: type)?|\}) .*from "(\.[^"]+)"$/gm)]
        .map(([, how = "", specifier = ""]) => ({ how, target: posix.join(posix.dirname(file), specifier) }))
        .filter(({ target }) => target.startsWith("src/") && target !== "src/ServerBuild.ts")
        .filter(({ how, target }) => !shared.test(target) && !(how.endsWith(" type") && target === "src/rpc/Router.ts"))
        .map(({ target }) => target)
    assert.deepStrictEqual(offences(apps, taken), [])
  })
  it("have files that say in their first line what they own, and own one thing", () => {
    const wrong = (file: string) => [
      ...(/^(?:#!.*\n)?\/\*\*(?: |\n \* )\S/.test(text(file)) ? [] : ["no first line"]),
      ...(text(file).trimEnd().split("\n").length > 350 ? ["too long"] : []),
      ...(text(file).match(/@ts-\w+|(?:ox|es)lint-disable|\b(?:TODO|FIXME|XXX|HACK)\b/g) ?? []),
    ]
    assert.deepStrictEqual(offences(apps, wrong), [])
  })
  it("colour nothing but by tokens", () => {
    const styles = readdirSync("apps/console", { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:css|tsx)$/.test(file) && !file.endsWith("tokens.css"))
      .map((file) => `apps/console/${file}`)
    const own = (file: string) => text(file).match(/#[0-9a-f]{6}\b|\brgb\([^)]*\)/gi) ?? []
    assert.deepStrictEqual(offences(styles, own), [])
  })
})
