/** Answers that are wider than any request: a page of wide tools, and an agent with them, read in every way. */
import { made } from "../support/Fixtures.ts"
import { headersOf } from "../support/RpcClient.ts"
import { asked, membersOf, python, type Sender, type WorstInput } from "./WorstInput.ts"

/** An agent with tools that each have these fields, on a page of their own, in a version, and in a preview. */
const equipped = (name: string, count: number, fields: object): ReadonlyArray<WorstInput> => {
  const prefix = `wide_${name.replace(/\W/g, "_")}_`
  const agent = `/api/agents/${prefix}` as const
  let version = ""
  const prepare = async ({ client, query }: Sender) => {
    if (version !== "") return
    const { id } = made(await client.post("/api/agents", { name: prefix, system_prompt: "Hello." }))
    const { id: first } = made(await client.post("/api/tools", { name: `${prefix}0`, description: "x", ...fields }))
    // The rows are what is read. Over HTTP each would cost the check of its content.
    await query(`
      insert into tools
      select (jsonb_populate_record(tools, jsonb_build_object('id', gen_random_uuid(), 'name', '${prefix}' || at))).*
      from tools, generate_series(1, ${count - 1}) at where id = '${first}'`)
    await query(`
      insert into agent_tools (agent_id, tool_id, config, enabled)
      select '${id}', id, '{}', true from tools where name like '${prefix}%' order by id limit ${count / 5}`)
    version = String(made(await client.get(agent)).version)
  }
  const page = { page_size: 100, search: prefix }
  const query = encodeURIComponent(JSON.stringify({ 0: page }))
  const read = (headers: object) => async (sender: Sender, path: string) => {
    const sent = { headers: { ...headersOf(sender.client), ...headers } }
    await (await fetch(`${sender.url}${path}`, sent)).arrayBuffer()
  }
  return [
    {
      name: `a page of ${name}`,
      prepare,
      send: async ({ client }) => made(await client.get(`/api/tools?page_size=100&search=${prefix}`)),
    },
    {
      name: `a page of ${name}, compressed`,
      prepare,
      send: (sender) => read({ "accept-encoding": "br" })(sender, `/api/tools?page_size=100&search=${prefix}`),
    },
    { name: `a page of ${name}, over tRPC`, prepare, send: ({ rpc }) => rpc.tools.list.query(page) },
    {
      name: `a page of ${name}, as tRPC streams it`,
      prepare,
      send: (sender) => read({ "trpc-accept": "application/jsonl" })(sender, `/trpc/tools.list?batch=1&input=${query}`),
    },
    {
      name: `a page of ${name}, over a socket`,
      prepare,
      send: (sender) => asked(sender, "query", "tools.list", JSON.stringify(page)),
    },
    {
      name: `a version of an agent with a fifth of ${name}`,
      prepare,
      send: async ({ client }) => made(await client.get(`${agent}/versions/${version}`)),
    },
    {
      name: `the difference of an agent with a fifth of ${name}`,
      prepare,
      send: async ({ client }) => made(await client.get(`${agent}/versions/${version}/diff?against=1`)),
    },
    {
      name: `going back to a version with a fifth of ${name}`,
      prepare,
      send: async ({ client }) => made(await client.post(`${agent}/versions/${version}/restore`)),
    },
    {
      name: `a preview of an agent with a fifth of ${name}`,
      prepare,
      send: async ({ client }) => made(await client.post(`${agent}/preview`, { messages: [] })),
    },
  ]
}

export const wideReads: ReadonlyArray<WorstInput> = [
  ...equipped("100 tools of 100 KB", 100, python(`def run(a, c):\n    return """${"x".repeat(99_000)}"""`)),
  // Rows are read and written one by one, so forty show what a hundred do.
  ...equipped("40 tools of 9,500 values", 40, {
    ...python("def run(a, c):\n    return 1"),
    implementation_config: membersOf(9_500),
  }),
]
