/** Preloaded into a process under test (`NODE_OPTIONS=--import …`). Prints each file that the process loads. */
import { writeSync } from "node:fs"
import { registerHooks } from "node:module"

registerHooks({
  load: (url, context, next) => {
    if (url.startsWith("file:")) writeSync(1, `loads ${url}\n`)
    return next(url, context)
  },
})

/** The files that the process has loaded, by their URLs. */
export const loadedIn = (said: string): ReadonlyArray<string> =>
  Array.from(said.matchAll(/^loads (\S+)$/gm), ([, url = ""]) => url)
