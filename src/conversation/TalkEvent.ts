/** Everything that can happen in a talk: on the line, in the brain, in tools, and by time. */
import type { ToolCall, Usage } from "../brain/Brain.ts"
import type { Answer } from "../brain/ToolPolicy.ts"
import type { Whispered } from "../domain/Whisper.ts"
import type { LineEvent } from "../telephony/Telephony.ts"
import type { DigitsWanted, WarmTransfer } from "../tools/CallControls.ts"
import type { TimerName } from "./Timers.ts"

/** A tool's order to the call, executed when the agent has finished its sentence. */
export type Order =
  | { readonly _tag: "End" }
  /** `warm`: the person is told what the caller needs, and may decline the call. Null: a blind transfer. */
  | { readonly _tag: "Transfer"; readonly target: string; readonly warm: WarmTransfer | null }
  | { readonly _tag: "Message"; readonly text: string | null }
  /** Changes the language of the talk. */
  | { readonly _tag: "Language"; readonly language: string }
  /** Asks the caller to press digits. Unlike the others, it is executed at once. */
  | ({ readonly _tag: "Collect" } & DigitsWanted)

/** What ended a collection of digits. */
export type CollectionEnd = "key" | "length" | "timeout" | "hung_up" | "replaced"

/** The call was handed back to the agent, or the supervisor's page has vanished. */
export type PersonLeft = "handed_back" | "lost"

/** The reply and step that it belongs to; events of a reply that is over are ignored. */
interface OfStep {
  readonly reply: number
  readonly step: number
}

export interface HeardSpeech {
  readonly utterance: number
  readonly started_ms: number
  readonly ended_ms: number
}

export type TalkEvent =
  | LineEvent
  | (OfStep & { readonly _tag: "FirstToken" })
  | (OfStep & { readonly _tag: "Said"; readonly text: string; readonly after_ms: number })
  /** A voice model begins to speak. The words of this sound follow as `Worded`. */
  | (OfStep & { readonly _tag: "Speaks"; readonly sound: string; readonly after_ms: number })
  | (OfStep & { readonly _tag: "Called"; readonly call: ToolCall })
  | (OfStep & { readonly _tag: "Used"; readonly usage: Usage })
  | (OfStep & { readonly _tag: "Farewell" })
  /** `thought_ms`: real milliseconds of the brain, without the time that it waited for speech. */
  | (OfStep & { readonly _tag: "StepEnded"; readonly thought_ms: number })
  | (OfStep & { readonly _tag: "StepFailed"; readonly thought_ms: number })
  /** The words of a voice model's sound, as far as they are known, or the words that it said for a fixed sentence. */
  | {
      readonly _tag: "Worded"
      readonly of: { readonly sound: string } | { readonly piece: number }
      readonly text: string
    }
  /** A voice model has heard a stretch of the caller's speech. Its words follow as `Understood`. */
  | ({ readonly _tag: "Heard" } & HeardSpeech)
  /** Null: its words are not known. */
  | ({ readonly _tag: "Understood"; readonly text: string | null } & HeardSpeech)
  /** The voice model is lost for good. `isReplaced`: a recogniser, a language model and a voice go on without it. */
  | { readonly _tag: "ModelLost"; readonly isReplaced: boolean }
  | { readonly _tag: "Ordered"; readonly call: string; readonly order: Order }
  | { readonly _tag: "Resulted"; readonly call: string; readonly answer: Answer }
  | { readonly _tag: "OptedOut" }
  /** A supervisor wants to talk in the agent's place. */
  | { readonly _tag: "TakenOver" }
  /** A person said this to the other side, in the agent's place. */
  | { readonly _tag: "PersonSaid"; readonly text: string; readonly started_ms: number; readonly ended_ms: number }
  /** The supervisor has left the call to the agent. */
  | { readonly _tag: "PersonLeft"; readonly how: PersonLeft }
  /** A supervisor's instruction. */
  | ({ readonly _tag: "Whispered" } & Whispered)
  /** The person has taken the call, and the two talk with each other. */
  | { readonly _tag: "Bridged" }
  /** The end of a transfer. `why` it failed is for the agent. */
  | { readonly _tag: "Transferred"; readonly ok: boolean; readonly why?: string }
  | { readonly _tag: "Due"; readonly timer: TimerName }
