/** The conductor's commands. Executing one does not wait for its result, which arrives as an event. */
import type { Message, ToolCall } from "../brain/Brain.ts"
import type { Answer } from "../brain/ToolPolicy.ts"
import type { AnsweredByEvidence, AnsweredByVerdict } from "../domain/AnsweredBy.ts"
import type { EndReason, Turn } from "../domain/Call.ts"
import type { TakeoverRefusal } from "../domain/Takeover.ts"
import type { Whispered } from "../domain/Whisper.ts"
import type { Piece } from "../telephony/Telephony.ts"
import type { WarmTransfer } from "../tools/CallControls.ts"
import type { CollectionEnd } from "./TalkEvent.ts"

/** What was said, to be kept; `at` follows from `started_ms`. */
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
      /** How many unheard pieces there may be. */
      readonly room: number
      readonly history: ReadonlyArray<Message>
      readonly must_speak: boolean
      readonly model: string | null
      readonly wrap_up: boolean
    }
  | { readonly _tag: "StopThinking" }
  /** Sounds of a voice model that the line never got: it has not said them. */
  | { readonly _tag: "Forget"; readonly sounds: ReadonlyArray<string> }
  /** The words of a piece that the line has are these, as far as they are known. */
  | { readonly _tag: "Reword"; readonly piece: number; readonly text: string }
  /** A piece was heard, so the brain may send more words. */
  | { readonly _tag: "MakeRoom"; readonly reply: number }
  | { readonly _tag: "RunTool"; readonly id: string; readonly call: ToolCall }
  /** It is given up, with this in place of its result. */
  | { readonly _tag: "StopTool"; readonly id: string; readonly answer: Answer }
  /** The tool that asked for digits has them. Null: they are too few, and are not kept. */
  | {
      readonly _tag: "Collected"
      readonly call: string
      readonly digits: string | null
      readonly count: number
      readonly ended_by: CollectionEnd
    }
  /** Whether the sound may have digits that are being collected: it is neither recorded nor listened to. */
  | { readonly _tag: "SetPrivate"; readonly is_private: boolean }
  | { readonly _tag: "OptOut" }
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
  /** The other side was told that the call is recorded. */
  | { readonly _tag: "NoteAnnounced" }
  /** The last one. */
  | { readonly _tag: "End"; readonly reason: EndReason }
