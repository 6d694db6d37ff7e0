/** Chaos over a carrier whose sound passes through Parley: one of the two, by the seed, since a run takes minutes. */
import { fresh, shortRuns } from "./ShortRuns.ts"

shortRuns([{ carrier: fresh % 2 === 0 ? "twilio-stream" : "sip", seed: fresh }])
