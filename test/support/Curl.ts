/** Whether this machine has curl, with which tests run samples of the documentation. */
import { spawnSync } from "node:child_process"

/** Why samples for curl are not run; undefined where they are. */
export const curlFault = spawnSync("curl", ["--version"]).error === undefined ? undefined : "curl is not installed"
