/**
 * The same loop on LiveKit's agents for Node, with text in and text out, which needs none of its servers: sessions that
 * put questions to the model with pauses between them, and run its tool. Prints the time of each turn as JSON.
 *
 * The package takes 290 MB with its dependencies, which include native parts and an install script. It is therefore not
 * a dependency of this repository, and is loaded from the given folder.
 */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"

export interface LivekitQuestion {
  readonly folder: string
  readonly url: string
  readonly sessions: number
  readonly turns: number
}

export interface LivekitAnswer {
  readonly version: string
  readonly turns: ReadonlyArray<{ readonly conversation: string; readonly took_ms: number }>
  readonly cpu_ms: number
}

const { folder, sessions, turns, url }: LivekitQuestion = JSON.parse(process.argv[2] ?? "{}")
const packageOf = (name: string) => import(pathToFileURL(join(folder, "node_modules", name)).href)
const { initializeLogger, llm, version, voice } = await packageOf("@livekit/agents/dist/index.js")
const openai = await packageOf("@livekit/agents-plugin-openai/dist/index.js")
initializeLogger({ pretty: false, level: "silent" })

const get_current_time = llm.tool({
  description: "Tells the date and the time.",
  parameters: { type: "object", properties: {}, required: [] },
  execute: async () => ({ now: new Date().toISOString() }),
})
/** As long as a caller takes to think and to speak, in milliseconds. */
const pauseMs = () => 2_500 + Math.random() * 3_000

const taken: Array<LivekitAnswer["turns"][number]> = []
const converse = async (conversation: string, turns: number) => {
  const model = new openai.LLM({ model: "m", apiKey: "none", baseURL: `${url}/v1` })
  const session = new voice.AgentSession({ llm: model })
  const instructions = `You are brief. This is case number ${conversation}.`
  await session.start({ agent: new voice.Agent({ instructions, tools: { get_current_time } }) })
  for (let turn = 0; turn < turns; turn++) {
    await sleep(pauseMs())
    const began = performance.now()
    await session.run({ userInput: "Well, what time would suit you?" }).wait()
    taken.push({ conversation, took_ms: performance.now() - began })
  }
  await session.close()
}
const all = (name: string, count: number, turns: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => converse(`${name}${at}`, turns)))

await all("warm", sessions / 4, 3)
taken.length = 0
const before = process.cpuUsage()
await all("livekit", sessions, turns)
const { system, user } = process.cpuUsage(before)
const answer: LivekitAnswer = { version, turns: taken, cpu_ms: (system + user) / 1_000 }
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
