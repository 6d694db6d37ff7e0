/**
 * What is detected on a caller's line: when voice begins and ends, by level and by Silero, and what an agent does when
 * it is interrupted. The speech is espeak-ng's. The sounds go through the detectors in step with the model.
 */
import * as Detection from "./hearing/Detection.ts"
import * as Interruptions from "./hearing/Interruptions.ts"
import { heading, machine, note, table } from "./support/Report.ts"

export const run = async () => {
  heading("Voice: 42 utterances on a telephone line")
  table(Detection.headings, await Detection.rows())
  note("Of loudest sounds, after which the beginning and the end of a voice are known. Speech is at -22 dB.")
  heading("Interruptions: 200 of each, while the agent speaks")
  table(Interruptions.headings, await Interruptions.rows())
  note("From the caller's first sound to the order to be softer, and to be silent: the next frame, 20 ms, obeys.")
  machine()
}
