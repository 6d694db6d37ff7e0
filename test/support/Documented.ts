/** Runs the commands of docs/operations.md exactly as written there. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Answer } from "./Command.ts"

const page = readFileSync("docs/operations.md", "utf8")

/** The code block with this name. */
export const documented = (name: string): string => {
  const [, commands] = new RegExp(`^\`\`\`\\w+ ${name}\n([^]*?)^\`\`\``, "m").exec(page) ?? []
  if (commands === undefined) throw new Error(`docs/operations.md has no block ${name}`)
  return commands
}

/** Runs commands in a shell that stops at the first failure. `env` is the whole environment besides PATH. */
export const runInShell = (commands: string, env: Readonly<Record<string, string>> = {}, cwd = "."): Answer => {
  const { signal, status, stderr, stdout } = spawnSync("bash", ["-euo", "pipefail", "-c", commands], {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
    encoding: "utf8",
    cwd,
  })
  return { code: status ?? signal, out: stdout, err: stderr }
}

/** Runs the code block with this name. In another folder, `npx parley` still runs this tree's program. */
export const runDocumented = (name: string, env: Readonly<Record<string, string>>, cwd?: string): Answer => {
  const npx = cwd === undefined ? "" : `npx() { sh "${process.cwd()}/bin/$1" "\${@:2}"; }\n`
  return runInShell(npx + documented(name), env, cwd)
}
