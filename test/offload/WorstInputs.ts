/**
 * The worst that a tenant can send of each kind, within every limit on its size. `EventLoop.test.ts` sends each to a
 * server of its own and watches its event loop: a change that adds work on tenants' input adds its worst input here.
 */
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { accountInputs } from "./AccountInputs.ts"
import { campaignInputs } from "./CampaignInputs.ts"
import { wideReads } from "./WideReads.ts"
import { asked, many, membersOf, python, type Sender, type WorstInput } from "./WorstInput.ts"

let tools = 0
const http = { implementation_type: "http", implementation_config: { url: "https://127.0.0.1/never" } } as const

/** A tool with this schema, invoked with these arguments. */
const invoked = (name: string, schema: object, args: object): ReadonlyArray<WorstInput> => {
  const tool = `worst_${tools++}`
  const prepare = ({ client }: Sender) =>
    client.post("/api/tools", { ...http, name: tool, description: name, schema: { type: "object", ...schema } })
  return [
    { name, prepare, send: ({ client }) => client.post(`/api/tools/${tool}/invoke`, { arguments: args }) },
    {
      name: `${name}, over tRPC`,
      send: ({ rpc }) => rpc.tools.invoke.mutate({ id: tool, arguments: args as never }).catch(String),
    },
  ]
}

const valued = (name: string, schema: object, value: unknown) =>
  invoked(name, { properties: { value: schema } }, { value })

/** A tool that is refused, or is not, on write. */
const written = (name: string, fields: object): ReadonlyArray<WorstInput> => {
  const tool = { ...http, name: `worst_${tools++}`, description: name, ...fields }
  return [
    { name, send: ({ client }) => client.post("/api/tools", tool) },
    { name: `${name}, over tRPC`, send: ({ rpc }) => rpc.tools.create.mutate(tool as never).catch(String) },
  ]
}

const schemas: ReadonlyArray<WorstInput> = [
  ...valued("uniqueItems on 40,000 numbers", { uniqueItems: true }, many(40_000, String)),
  ...valued(
    "uniqueItems on 20,000 objects",
    { uniqueItems: true },
    many(20_000, (at) => ({ a: at, b: "x" })),
  ),
  ...valued('format "url" on 120 KB', { format: "url" }, `http://${"a".repeat(120_000)}`),
  ...valued('format "email" on 900 KB', { format: "email" }, `a@${"a.".repeat(450_000)}`),
  ...valued("[a-z]{1000}[0-9] on 98 KB", { pattern: "[a-z]{1000}[0-9]" }, "a".repeat(98_000)),
  ...valued(
    "anyOf of 500 on 20,000 items",
    { items: { anyOf: many(500, (at) => ({ const: at + 0.5 })) } },
    many(20_000, (at) => at),
  ),
  ...valued(
    "100 constants that 200,000 items are not",
    { items: { allOf: many(100, (at) => ({ const: `no${at}` })) } },
    many(200_000, () => 1),
  ),
  ...valued(
    "60,000 members",
    { additionalProperties: { type: "number" } },
    Object.fromEntries(many(60_000, (at) => [`k${at}`, at])),
  ),
  ...valued(
    "patternProperties on 60,000 members",
    { patternProperties: Object.fromEntries(many(100, (at) => [`^(k|l)+${at}$`, {}])) },
    Object.fromEntries(many(60_000, (at) => [`k${at}`, at])),
  ),
  // As many values as one body may have; those above are refused at the door.
  ...valued("9,500 items that must be unique", { uniqueItems: true }, many(9_500, String)),
  ...valued(
    "anyOf of 500 on 9,500 items",
    { items: { anyOf: many(500, (at) => ({ const: at + 0.5 })) } },
    many(9_500, Number),
  ),
  ...valued(
    "100 constants that 9,500 items are not",
    { items: { allOf: many(100, (at) => ({ const: `no${at}` })) } },
    many(9_500, () => 1),
  ),
  ...valued("9,500 members", { additionalProperties: { type: "number" } }, membersOf(9_500)),
  ...valued(
    "9,500 members and patterns",
    { patternProperties: Object.fromEntries(many(100, (at) => [`^(k|l)+${at}$`, {}])) },
    membersOf(9_500),
  ),
  ...valued(
    "4,500 lists in lists",
    { items: { items: { type: "string" } } },
    many(4_500, () => [[]]),
  ),
  ...invoked(
    "references that double on the way down",
    {
      properties: { a: { $ref: "#/$defs/tree" } },
      $defs: { tree: { anyOf: many(8, () => ({ properties: { a: { $ref: "#/$defs/tree" } }, required: ["b"] })) } },
    },
    many(24, () => 0).reduce<object>((inner) => ({ a: inner }), {}),
  ),
  ...written("a schema of 4,000 patterns", {
    schema: { type: "object", patternProperties: Object.fromEntries(many(4_000, (at) => [`^x{900}${at}`, true])) },
  }),
  ...written("a schema of 12,000 schemas", {
    schema: { type: "object", anyOf: many(12_000, () => ({})) },
  }),
  ...written("a schema of 900 KB", { schema: { type: "object", enum: many(100_000, (at) => at) } }),
  ...written("a schema that refers 4,000 times", {
    schema: {
      type: "object",
      allOf: many(1_000, (at) => ({ $ref: `#/$defs/d${at}` })),
      $defs: Object.fromEntries(many(1_000, (at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])),
    },
  }),
]

const sources: ReadonlyArray<WorstInput> = [
  ...written("45,000 brackets of Python", python(`def run(a, c):\n    return ${"(".repeat(45_000)}`)),
  ...written("50,000 lines of Python", python(`def run(a, c):\n${" x\n".repeat(33_000)}`)),
  ...written("one line of Python, 99 KB", python(`def run(a, c): return ${"-".repeat(99_000)}1`)),
]

const bodies: ReadonlyArray<WorstInput> = [
  ...written("a body of 250,000 lists", { schema: { type: "object", default: many(250_000, () => []) } }),
  ...written("a body of 100,000 keys", {
    schema: { type: "object", default: Object.fromEntries(many(60_000, (at) => [`key${at}`, 1])) },
  }),
  ...written("a body of 900 KB of escapes", { description: "\u0001".repeat(150_000) }),
  {
    name: "a body that is no JSON at its end",
    send: ({ client }) =>
      client.request("POST", "/api/tools", {
        body: `[${"0,".repeat(500_000)}`,
        headers: { "content-type": "application/json" },
      }),
  },
]

const mebibyte = 1024 * 1024

/** JSON of nearly a megabyte that takes long to parse. */
const slowJson: ReadonlyArray<readonly [name: string, text: string]> = [
  ["500,000 lists in lists", `${"[".repeat(mebibyte / 2 - 100)}${"]".repeat(mebibyte / 2 - 100)}`],
  ["110,000 short keys", JSON.stringify(Object.fromEntries(many(110_000, (at) => [at.toString(36), 0])))],
  ["objects of 60,000 shapes", JSON.stringify(many(60_000, (at) => ({ [`k${at.toString(36)}`]: 0 })))],
]

/** An http tool whose server answers with this text. */
const answered = ([name, text]: (typeof slowJson)[number]): WorstInput => {
  const tool = `worst_${tools++}`
  return {
    name: `an http tool that answers ${name}`,
    prepare: async ({ client }) => {
      const server = createServer((_, response) => response.end(text)).listen(0, "127.0.0.1")
      server.unref()
      await once(server, "listening")
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      await client.post("/api/tools", {
        name: tool,
        description: name,
        implementation_type: "http",
        implementation_config: { url },
      })
    },
    send: ({ client }) => client.post(`/api/tools/${tool}/invoke`, { arguments: {} }),
  }
}

/** A python tool that returns the value of this expression. */
const returned = (name: string, expression: string): WorstInput => {
  const tool = `worst_${tools++}`
  const code = `def run(a, c):\n    return ${expression}`
  return {
    name: `a python tool that returns ${name}`,
    prepare: ({ client }) =>
      client.post("/api/tools", {
        name: tool,
        description: name,
        implementation_type: "python",
        implementation_code: code,
      }),
    send: ({ client }) => client.post(`/api/tools/${tool}/invoke`, { arguments: {} }),
  }
}

const results: ReadonlyArray<WorstInput> = [
  ...slowJson.map(answered),
  returned("90,000 keys", "{str(at): 0 for at in range(90000)}"),
  returned("objects of 60,000 shapes", "[{'k%x' % at: 0} for at in range(60000)]"),
]

/** A message to the router's socket, and the answer to it. */
const told = ([name, text]: (typeof slowJson)[number]): WorstInput => ({
  name: `a message to the socket with ${name}`,
  send: (sender) => asked(sender, "mutation", "tools.create", text),
})

const messages = slowJson.map(told)

/** An agent whose prompt has been another one, compared with what it was. */
const compared = (name: string, before: string, after: string): WorstInput => {
  const agent = `compared ${name}`
  return {
    name,
    prepare: async ({ client }) => {
      await client.post("/api/agents", { name: agent, system_prompt: before })
      await client.put(`/api/agents/${encodeURIComponent(agent)}`, { system_prompt: after })
    },
    send: ({ client }) => client.get(`/api/agents/${encodeURIComponent(agent)}/versions/2/diff`),
  }
}

const differences: ReadonlyArray<WorstInput> = [
  compared("two prompts of 49,000 short lines", "a\n".repeat(49_000), "b\n".repeat(49_000)),
  compared(
    "two prompts of lines in another order",
    many(12_000, (at) => `${(at * 7) % 12_000}`).join("\n"),
    many(12_000, (at) => `${(at * 11) % 12_000}`).join("\n"),
  ),
  compared("two prompts of one long line", "a ".repeat(49_000), "b ".repeat(49_000)),
]

/** A preview of an agent with this prompt: without messages it greets, so that no model is asked. */
const previewed = (name: string, system_prompt: string, variables: object = {}): ReadonlyArray<WorstInput> => {
  const agent = `previewed ${name}`
  const prepare = ({ client }: Sender) => client.post("/api/agents", { name: agent, system_prompt: "Hello." })
  const trial = { agent: { system_prompt }, variables: variables as never }
  return [
    { name, prepare, send: ({ client }) => client.post(`/api/agents/${encodeURIComponent(agent)}/preview`, trial) },
    { name: `${name}, over tRPC`, send: ({ rpc }) => rpc.agents.preview.mutate({ id: agent, ...trial }).catch(String) },
  ]
}

const templates: ReadonlyArray<WorstInput> = [
  ...previewed("a template of 20,000 variables", "{{a}}".repeat(19_000)),
  ...previewed("a template of 9,000 conditions", `${"{% if a %}".repeat(4_500)}${"{% endif %}".repeat(4_500)}`),
  ...previewed("a loop in a loop", "{% for i in (1..1000) %}{% for j in (1..1000) %}{{ i }}{% endfor %}{% endfor %}"),
  ...previewed(
    "filters that double",
    `{% assign a = "xxxxxxxx" %}${"{% assign a = a | append: a %}".repeat(24)}{{ a | size }}`,
  ),
  ...previewed("filters of 900 KB", `{{ v ${"| escape | strip_html | split: '' | join: '' ".repeat(50)} }}`, {
    v: "<a".repeat(450_000),
  }),
  ...previewed("a condition of 12,900 parts", `{% if ${"a and ".repeat(12_900)}a %}x{% endif %}`),
  ...previewed("11,000 lines of one tag", `{% liquid\n${"echo a\n".repeat(11_000)}%}`),
  ...previewed("a filter of 25,000 variables", `{{ a | append: ${"b,".repeat(25_000)}b }}`),
  ...previewed("a date with 9,000 names of its day", `{{ "now" | date: "${"%A".repeat(9_000)}" }}`),
  ...previewed("a condition of 12,900 parts", `{% if ${"a and ".repeat(12_900)}a %}x{% endif %}`),
  ...previewed("11,000 lines of one tag", `{% liquid\n${"echo a\n".repeat(11_000)}%}`),
  ...previewed("a filter of 25,000 variables", `{{ a | append: ${"b,".repeat(25_000)}b }}`),
  ...previewed("a date with 9,000 names in a list", '{{ "now" | date: format }}', { format: ["%B".repeat(9_000)] }),
  ...previewed("800 dates in one chain", `{{ "now" ${"| date_to_string | date: none ".repeat(400)} }}`, { none: null }),
  ...["where_exp", "find_exp", "group_by_exp"]
    .map(
      (filter) =>
        [filter, `{{ v | split: "" | ${filter}: "x", "x == 1${" and x == 2".repeat(1_000)}" | size }}`] as const,
    )
    .flatMap(([filter, template]) =>
      previewed(`${filter} with 1,000 conditions for 5,000 items`, template, { v: "ab".repeat(2_500) }),
    ),
  ...previewed("find with a path of 5,000 parts for 5,000 items", '{{ v | split: "" | find: path }}', {
    v: "ab".repeat(2_500),
    path: `size${".size".repeat(5_000)}`,
  }),
  ...previewed(
    "900 KB of variables",
    "Hello {{ name }}",
    Object.fromEntries(many(40_000, (at) => [`v${at}`, "\u0001"])),
  ),
  ...previewed("a conversation of 900 KB", "{{ v }}".repeat(5_000), { v: "x".repeat(900_000) }),
]

const scenarios = (name: string, pattern: string): WorstInput => {
  const agent = `scenario ${name}`
  return {
    name,
    prepare: ({ client }) => client.post("/api/agents", { name: agent, system_prompt: "Hello." }),
    send: ({ client }) =>
      client.post(`/api/agents/${encodeURIComponent(agent)}/scenario-runs`, {
        scenarios: many(50, (at) => ({
          name: `${at}`,
          caller: { says: ["Hello"] },
          expect: { said: many(25, () => pattern), never_said: many(25, () => pattern) },
        })),
      }),
  }
}

const patterns: ReadonlyArray<WorstInput> = [
  scenarios("2,500 patterns that are written out", "x{1000}".repeat(1)),
  scenarios("2,500 patterns of Unicode", "\\p{L}{300}\\pN"),
  scenarios("2,500 that are none", "("),
]

const searches: ReadonlyArray<WorstInput> = [
  ...["/api/tools", "/api/faqs", "/api/agents", "/api/v1/campaigns"].map((path) => ({
    name: `a search of ${path}`,
    send: ({ client }: Sender) => client.get(`${path}?search=${encodeURIComponent("%_\\".repeat(600))}`),
  })),
  {
    name: "a question for FAQs of 500 KB",
    send: ({ client }) =>
      client.post("/api/tools/lookup_faq/invoke", { arguments: { question: "why not ".repeat(60_000) } }),
  },
  {
    name: "an outcome that is judged by a costly schema",
    prepare: ({ client }) =>
      client.post("/api/agents", {
        name: "outcome",
        system_prompt: "Hello.",
        outcome_schema: {
          type: "object",
          properties: { list: { items: { anyOf: many(500, (at) => ({ const: at + 0.5 })) } } },
        },
      }),
    send: async ({ client }) => {
      const { body } = await client.get("/api/agents/outcome")
      return client.post("/api/tools/record_outcome/invoke", {
        arguments: { outcome: { list: many(20_000, (at) => at) } },
        context: { agent_id: body.id },
      })
    },
  },
]

export const worstInputs: ReadonlyArray<WorstInput> = [
  ...[...schemas, ...sources, ...bodies, ...results, ...messages, ...differences, ...templates],
  ...[...patterns, ...searches, ...wideReads, ...campaignInputs, ...accountInputs],
]
