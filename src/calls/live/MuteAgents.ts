/**
 * Agents that cannot talk where sound is needed: the installation has neither a recogniser nor a voice, only a voice model,
 * which is not theirs.
 */
import { Effect, Option } from "effect"
import type { Model } from "../../domain/Agent.ts"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import { canTalk, lineSpeech } from "../../speech/LineSpeech.ts"

/** The lab has no sound, and Twilio has a recogniser and a voice of its own. */
const needsSound = (carrier: Carrier | "web"): boolean => carrier !== "lab" && carrier !== "twilio"

/** Returns the function that says whether an agent with this model is mute there. */
export const make = Effect.map(
  lineSpeech,
  (speech) =>
    (carrier: Carrier | "web", model: Model): boolean =>
      needsSound(carrier) && Option.exists(speech, (speech) => !canTalk(speech, model)),
)
