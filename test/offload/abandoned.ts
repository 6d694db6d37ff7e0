/** A process whose costly work never ends. The work writes the id of its own process into a file (its name is the argument). */
import { Effect } from "effect"
import * as Offload from "../../src/offload/Offload.ts"
import { jobOf, tellAndSpin } from "./Jobs.ts"

await Effect.runPromise(Offload.run(jobOf(tellAndSpin), process.argv[2] ?? ""))
