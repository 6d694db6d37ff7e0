/** Whether this machine has curl, with which tests run the examples of the documentation. */
import { spawnSync } from "node:child_process"

/** Why examples for curl cannot run. Undefined if they can. */
export const curlFault = spawnSync("curl", ["--version"]).error === undefined ? undefined : "curl is not installed"
