/** Whether this machine has espeak-ng, whose voices tests and benchmarks use. */
import { existsSync } from "node:fs"

/** Why espeak-ng cannot speak on this machine. Undefined if it can. */
export const espeakFault = existsSync("/usr/bin/espeak-ng") ? undefined : "espeak-ng is not installed"
