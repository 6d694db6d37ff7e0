/** What Twilio's machine detection reports beside the talk. */
import type { Words } from "../CarrierCalls.ts"
import type { LineEvent } from "../Telephony.ts"
import { machineMark } from "./TwilioUrls.ts"

/** The most characters of a verdict that are kept. Twilio's verdicts are shorter. */
const longestVerdict = 40

/** The tone at the end of a machine's greeting; null if the words say something else. */
export const beepIn = ({ mark, text }: Words): LineEvent | null =>
  mark === machineMark && text.startsWith("machine_end") ? { _tag: "Beep", said: text.slice(0, longestVerdict) } : null
