/** Whether espeak-ng is here, whose voices tests and benches let speak. */
import { existsSync } from "node:fs"

/** Why it cannot speak; undefined where it can. */
export const espeakFault = existsSync("/usr/bin/espeak-ng") ? undefined : "espeak-ng is not installed"
