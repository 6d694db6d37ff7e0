/** The version of this release, as `parley --version` prints it. */
import { createRequire } from "node:module"

export const { version } = createRequire(import.meta.url)("../../package.json") as { readonly version: string }
