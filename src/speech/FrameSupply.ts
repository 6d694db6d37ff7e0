/**
 * Empty frames of one length. Each may be kept for as long as its holder likes. Ten share one piece of memory, because
 * allocating each frame alone takes three times as long. Plain code, called for each frame.
 */

/** More would keep much memory alive for a single frame that is kept. */
const framesAPiece = 10

export class FrameSupply {
  readonly #length: number
  #piece = new ArrayBuffer(0)
  #used = 0

  /** `length`: samples of a frame. */
  constructor(length: number) {
    this.#length = length
  }

  /** Returns a frame of silence that was not returned before. */
  next(): Int16Array<ArrayBuffer> {
    if (this.#used === this.#piece.byteLength) {
      this.#piece = new ArrayBuffer(framesAPiece * this.#length * Int16Array.BYTES_PER_ELEMENT)
      this.#used = 0
    }
    const frame = new Int16Array(this.#piece, this.#used, this.#length)
    this.#used += frame.byteLength
    return frame
  }
}
