/**
 * The answers of tools in a scenario: from stand-ins, from python in its sandbox, or from the tool itself if the
 * scenario sets `real`. An http tool without an entry fails, so nothing else reaches the outside.
 */
import { Effect } from "effect"
import type { AgentKit } from "../catalog/AgentKit.ts"
import type { Scenario, StandIn } from "../domain/Scenario.ts"
import { ToolFailed, type ToolOutput, type ToolRunner } from "../tools/ToolRunner.ts"
import { noStandIn } from "./Checks.ts"

type Tools = NonNullable<Scenario["tools"]>

/** A tool may have the name of a member that every object has, such as `constructor`. */
const entryOf = (tools: Tools, name: string) => (Object.hasOwn(tools, name) ? tools[name] : undefined)

const standsIn = (one: StandIn | undefined): one is StandIn => one !== undefined && one.real !== true

/** A built-in tool with a stand-in is no longer treated as built-in, so that the runner is asked. */
export const kitWith = (kit: AgentKit, tools: Tools): AgentKit => ({
  ...kit,
  tools: kit.tools.map((tool) =>
    standsIn(entryOf(tools, tool.name)) ? { ...tool, is_default: false, implementation_type: "python" } : tool,
  ),
})

export const runnerWith = (real: ToolRunner["Service"], tools: Tools): ToolRunner["Service"] => {
  const asked = new Map<string, number>()
  return {
    run: (tool, args, context) => {
      const one = entryOf(tools, tool.name)
      if (standsIn(one)) {
        const before = asked.get(tool.name) ?? 0
        asked.set(tool.name, before + 1)
        return answerOf(one, before)
      }
      if (tool.implementation_type === "http" && one === undefined) {
        const reason = `The scenario has no stand-in for ${tool.name}`
        return new ToolFailed({ code: noStandIn, reason })
      }
      return real.run(tool, args, context)
    },
  }
}

const answerOf = (
  { error, result = null, results }: StandIn,
  before: number,
): Effect.Effect<ToolOutput, ToolFailed> => {
  if (error !== undefined) return new ToolFailed({ code: error.code, reason: error.message })
  const answer = results === undefined ? result : (results[before] ?? results.at(-1) ?? null)
  return Effect.succeed({ result: answer, logs: [] })
}
