/**
 * Tests an agent before it calls anyone: runs scenario files against it, through the public REST API.
 *
 *     npm run scenarios                                  the demo's agent on a temporary server
 *     npm run scenarios -- mine.yaml --repeat 5          other files; every scenario must pass five times out of five
 *     PARLEY_API_KEY=pak_… npm run scenarios -- mine.yaml --url https://… --account acme --agent Rosa
 *
 * Exits with 0 if everything passed, 1 if not, and 2 if a file or the command line is wrong.
 */
import { join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Parley, ParleyError } from "./parley.ts"
import { serve } from "./serve.ts"
import { attachFaqs, attachPlaybook, makeAccount, makeAgent } from "./setup.ts"
import { FileError, readScenarios, type ScenarioFile } from "./scenarioFile.ts"
import { showRun, type Run } from "./scenarioReport.ts"
import { enableTools, makeTool } from "./tools.ts"

const usage = `npm run scenarios -- [FILE…] [--repeat N] [--json] [--url URL --account SLUG --agent NAME]

  FILE       YAML or JSON; examples/scenarios.yaml if left out
  --repeat   calls of each scenario that does not say it itself, all of which must pass
  --json     the runs as the API answers them, for other programs
  --url      a server that is up already; its API key is in PARLEY_API_KEY`

const read = () => {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        repeat: { type: "string" },
        json: { type: "boolean", default: false },
        url: { type: "string" },
        account: { type: "string" },
        agent: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    const repeat = values.repeat === undefined ? undefined : Number(values.repeat)
    if (repeat !== undefined && !Number.isInteger(repeat)) throw new FileError("--repeat must be a whole number")
    if (values.url !== undefined && (values.account === undefined || values.agent === undefined)) {
      throw new FileError("--url goes with --account and --agent")
    }
    const files = positionals.length > 0 ? positionals : [join(import.meta.dirname, "scenarios.yaml")]
    return { ...values, repeat, files }
  } catch (cause) {
    console.error(`${cause instanceof Error ? cause.message : String(cause)}\n\n${usage}`)
    process.exit(2)
  }
}

const options = read()

/** Creates the demo's agent. Its own tools are not called: the scenarios contain their answers. */
const demoAgent = async (url: string) => {
  const parley = await makeAccount(url, "harbor-fleet")
  const agent = await makeAgent(parley)
  const tool = await makeTool(parley, "http://127.0.0.1:9")
  await enableTools(parley, agent.id, tool.name)
  await attachPlaybook(parley, agent.id)
  await attachFaqs(parley, agent.id)
  return { parley, agent: agent.name }
}

const run = async (parley: Parley, agent: string, { body, where }: ScenarioFile): Promise<Run> => {
  const path = `/api/agents/${encodeURIComponent(agent)}/scenario-runs`
  try {
    let run = await parley.post<Run>(path, {
      ...body,
      ...(options.repeat === undefined ? {} : { repeat: options.repeat }),
    })
    while (run.status === "running") {
      await sleep(200)
      run = await parley.get<Run>(`${path}/${run.id}`)
    }
    return run
  } catch (cause) {
    if (!(cause instanceof ParleyError) || cause.problem.status !== 400) throw cause
    const faults = cause.problem.errors ?? [{ pointer: "", detail: cause.message }]
    throw new FileError(faults.map(({ detail, pointer }) => `${where(pointer)}: ${pointer} ${detail}`).join("\n"))
  }
}

const all = async (parley: Parley, agent: string) => {
  const runs: Array<Run> = []
  for (const file of options.files) {
    const ended = await run(parley, agent, readScenarios(file))
    runs.push(ended)
    if (!options.json) showRun(relative(process.cwd(), file), ended)
  }
  if (options.json) console.log(JSON.stringify(runs, undefined, 2))
  return runs.every(({ passed }) => passed === true)
}

const stopped = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort())

const main = async (): Promise<number> => {
  if (options.url !== undefined) {
    const parley = new Parley(options.url, process.env["PARLEY_API_KEY"] ?? "", options.account)
    return (await all(parley, options.agent ?? "")) ? 0 : 1
  }
  // Check the files before starting a server for them.
  for (const file of options.files) readScenarios(file)
  const server = await serve({ DRAIN_SECONDS: "1" }, stopped.signal)
  try {
    const { agent, parley } = await Promise.race([demoAgent(server.url), server.ended])
    return (await Promise.race([all(parley, agent), server.ended])) ? 0 : 1
  } finally {
    await server.stop()
  }
}

process.exit(
  await main().catch((cause: unknown) => {
    console.error(cause instanceof Error ? cause.message : String(cause))
    return cause instanceof FileError ? 2 : 1
  }),
)
