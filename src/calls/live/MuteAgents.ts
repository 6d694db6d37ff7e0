/**
 * Finds agents that cannot talk on lines with sound: the installation has only a voice model, and the agent uses
 * another model.
 */
import { Effect, Option } from "effect"
import type { Model } from "../../domain/Agent.ts"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import { canTalk, lineSpeech } from "../../speech/LineSpeech.ts"

/** The lab has no sound, and Twilio has a recogniser and a voice of its own. */
const needsSound = (carrier: Carrier | "web"): boolean => carrier !== "lab" && carrier !== "twilio"

/** Returns the function that tells whether an agent with this model is mute on this carrier. */
export const make = Effect.map(
  lineSpeech,
  (speech) =>
    (carrier: Carrier | "web", model: Model): boolean =>
      needsSound(carrier) && Option.exists(speech, (speech) => !canTalk(speech, model)),
)
