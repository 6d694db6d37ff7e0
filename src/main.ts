/** The process. It runs the build of the server, if one was made from these sources, and otherwise the sources. */
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { currentBuild } from "./ServerBuild.ts"

const build = currentBuild("Launch")
// In the folder of the code, because a user who can write to the cache decides what runs. If the process may not write
// there, nothing is cached.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/compiled"))
await (build === undefined ? import("./Launch.ts") : import(build))
