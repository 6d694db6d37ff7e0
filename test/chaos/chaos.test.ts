/** Chaos over a carrier that answers requests, with a new seed and with a fixed one. */
import { fresh, shortRuns } from "./ShortRuns.ts"

shortRuns([
  { carrier: "twilio", seed: fresh },
  { carrier: "twilio", seed: 1 },
])
