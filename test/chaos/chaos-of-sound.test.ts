/** Chaos over carriers whose sound passes through Parley. */
import { fresh, shortRuns } from "./ShortRuns.ts"

shortRuns([
  { carrier: "twilio-stream", seed: fresh },
  { carrier: "sip", seed: fresh },
])
