/** The conductor's commands. Executing one does not wait for its result, which arrives as an event. */
import type { Message, ToolCall } from "../brain/Brain.ts"
import type { Answer } from "../brain/ToolPolicy.ts"
import type { AnsweredByEvidence, AnsweredByVerdict } from "../domain/AnsweredBy.ts"
import type { EndReason, Turn } from "../domain/Call.ts"
import type { OptOutSign } from "../domain/CallOptOut.ts"
import type { TakeoverRefusal } from "../domain/Takeover.ts"
import type { Whispered } from "../domain/Whisper.ts"
import type { Piece } from "../telephony/Telephony.ts"
import type { WarmTransfer } from "../tools/CallControls.ts"
import type { CollectionEnd } from "./TalkEvent.ts"

/** An utterance for the record. Its time `at` follows from `started_ms`. */
export interface Spoken {
  readonly role: "agent" | "caller" | "person"
  readonly text: string
  readonly started_ms: number
  readonly ended_ms: number
  readonly interrupted?: boolean
}

export type Command =
  | { readonly _tag: "Play"; readonly piece: Piece }
  | { readonly _tag: "Yield" }
  | { readonly _tag: "Hold" }
  | { readonly _tag: "Resume" }
  | { readonly _tag: "Cut" }
  /** Ask the brain for the next step of this reply. Its previous step is stopped. */
  | {
      readonly _tag: "Think"
      readonly reply: number
      readonly step: number
      /** How many more pieces the brain may send before another one was heard. */
      readonly room: number
      readonly history: ReadonlyArray<Message>
      readonly must_speak: boolean
      readonly model: string | null
      readonly wrap_up: boolean
    }
  | { readonly _tag: "StopThinking" }
  /** Sounds of a voice model that the line never got. The model must not believe that it said them. */
  | { readonly _tag: "Forget"; readonly sounds: ReadonlyArray<string> }
  /** The words, as far as they are known, of a piece that the line already has. */
  | { readonly _tag: "Reword"; readonly piece: number; readonly text: string }
  /** A piece was heard, so the brain may send more words. */
  | { readonly _tag: "MakeRoom"; readonly reply: number }
  | { readonly _tag: "RunTool"; readonly id: string; readonly call: ToolCall }
  /** Gives the tool up, with `answer` in place of its result. */
  | { readonly _tag: "StopTool"; readonly id: string; readonly answer: Answer }
  /** The digits for the tool that asked for them. Null if they are too few; they are not kept then. */
  | {
      readonly _tag: "Collected"
      readonly call: string
      readonly digits: string | null
      readonly count: number
      readonly ended_by: CollectionEnd
    }
  /**
   * Whether the sound may contain digits that are being collected. If so, it is not recorded, and listeners do not hear
   * it.
   */
  | { readonly _tag: "SetPrivate"; readonly is_private: boolean }
  /** Writes a wish not to be called again. `at_ms` is when it was known. */
  | { readonly _tag: "OptOut"; readonly by: OptOutSign; readonly at_ms: number }
  | { readonly _tag: "Transfer"; readonly target: string; readonly warm: WarmTransfer | null }
  /** A supervisor cannot take the call over, is to be connected, or has to be disconnected. */
  | { readonly _tag: "RefusePerson"; readonly why: TakeoverRefusal }
  | { readonly _tag: "ConnectPerson" }
  | { readonly _tag: "ReleasePerson" }
  | { readonly _tag: "Note"; readonly spoken: Spoken }
  | ({ readonly _tag: "NoteWhisper"; readonly at_ms: number } & Whispered)
  | { readonly _tag: "NoteTurn"; readonly turn: Turn; readonly cost: number }
  | {
      readonly _tag: "NoteAnsweredBy"
      readonly verdict: AnsweredByVerdict
      readonly evidence: AnsweredByEvidence
    }
  | { readonly _tag: "NoteMachine" }
  /** No person was reached, although the call was answered. */
  | { readonly _tag: "NoteUnreached"; readonly outcome: "no_answer" | "invalid_number" }
  | { readonly _tag: "NoteMessageLeft" }
  /** The talk ends before a wish not to be called can be written: it is written with the end of the call. */
  | { readonly _tag: "NoteOptOut"; readonly by: OptOutSign; readonly at_ms: number }
  /** How much of the disclosure was heard, and when all of it was. */
  | { readonly _tag: "NoteDisclosure"; readonly heard_ms: number | null; readonly heard_ratio: number }
  /** The other side was told that the call is recorded. */
  | { readonly _tag: "NoteAnnounced" }
  /** The last command of a talk. */
  | { readonly _tag: "End"; readonly reason: EndReason }
