/**
 * The messages of media streams, independent of the carrier: each carrier writes the same messages in its own way.
 * Plain code.
 */

export type StreamMessage =
  /** The stream begins: its name, and the secret that the carrier was given for it. */
  | { readonly _tag: "Started"; readonly stream: string; readonly token: string }
  /**
   * Sound of the other side: µ-law at 8 kHz. `chunk` is its position, where the carrier may send sound out of order.
   */
  | { readonly _tag: "Sound"; readonly bytes: Buffer; readonly chunk?: number }
  /** The other side pressed a key: one of `0-9*#A-D`. */
  | { readonly _tag: "Key"; readonly digit: string }
  /** The carrier has played, or dropped, all sound that we sent before this mark. */
  | { readonly _tag: "Marked"; readonly name: string }
  | { readonly _tag: "Stopped" }
  /** Well-formed, and of no use to a call. */
  | { readonly _tag: "Other" }

export interface Dialect {
  /** Null: the text is not a message of a media stream. */
  readonly read: (text: string) => StreamMessage | null
  /** Sound of ours, in base64. */
  readonly sound: (stream: string, payload: string) => string
  readonly mark: (stream: string, name: string) => string
  /** Makes the carrier drop all sound that it has not played yet. */
  readonly clear: (stream: string) => string
}
