/** The `parley` command, for operators: one process a command. It runs its build, as the server does (src/main.ts). */
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { currentBuild } from "./ServerBuild.ts"

const build = currentBuild("ParleyCommand")
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/compiled"))
await (build === undefined ? import("./ParleyCommand.ts") : import(build))
