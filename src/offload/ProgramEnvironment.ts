/** The whole environment of a program that the server starts: its own has secrets. */
import { getCompileCacheDir } from "node:module"
import { dirname } from "node:path"

/** Node's cache of compiled code, if this process uses one. Node names it with a folder for its own version inside. */
export const programEnvironment = (): Record<string, string> => {
  const compiled = getCompileCacheDir()
  return compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) }
}
