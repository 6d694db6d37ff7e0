/**
 * The sound of a page as a path: frames over the page's socket. The page buffers them and reports what was heard. The
 * path ends if a connected page sends no sound.
 */
import { frameMs, heardRate, spokenRate } from "../../speech/Audio.ts"
import type { SoundListener, SoundPath } from "../SoundPath.ts"
import type { Chat } from "./Chat.ts"
import type { SoundWire } from "./SoundWire.ts"

/**
 * The longest time that a connected page may send no frame: before its first one, while a person may have to allow the
 * microphone, and after it. Counted in ticks, because a process that stands still has no ticks either.
 */
const mostBeforeFirst = 30_000 / frameMs
const mostTicks = 20_000 / frameMs

export class BrowserPath implements SoundPath {
  readonly rates = { heard: heardRate, spoken: spokenRate }
  readonly hearing = { _tag: "Reported" } as const
  /** With less, sound would stutter on a bad network. */
  readonly leadMs = 200
  /** A browser cancels most of the sound that it plays. */
  readonly cancelledDb = 24
  readonly duckedDb = 0
  readonly hearsKeys = false
  readonly #chat: Chat
  readonly #wire: SoundWire
  #listener: SoundListener | undefined
  #hasSpoken = false
  #silentTicks = 0

  constructor(chat: Chat, wire: SoundWire) {
    this.#chat = chat
    this.#wire = wire
  }

  get isConnected(): boolean {
    return this.#wire.isJoined
  }

  attach(listener: SoundListener): void {
    this.#listener = listener
    this.#wire.listen({
      spoke: (frame, heard) => {
        this.#hasSpoken = true
        this.#silentTicks = 0
        listener.played(heard)
        listener.heard(frame)
      },
      joined: () => {
        this.#hasSpoken = false
        this.#silentTicks = 0
        listener.replaced()
      },
    })
    // A visitor who cannot speak just now can write.
    this.#chat.listen({ wrote: listener.wrote, left: listener.gone })
    this.#chat.open()
  }

  tick(): void {
    this.#silentTicks = this.isConnected ? this.#silentTicks + 1 : 0
    if (this.#silentTicks > (this.#hasSpoken ? mostTicks : mostBeforeFirst)) this.#listener?.gone("lost")
  }

  send(number: number, frame: Int16Array): boolean {
    return this.#wire.send(number, frame)
  }

  hold(next: number): void {
    this.#chat.sound("hold", next)
  }

  resume(next: number): void {
    this.#chat.sound("resume", next)
  }

  clear(next: number): void {
    this.#chat.sound("clear", next)
  }

  /** Does nothing: the page has the frames already. It falls silent at `hold`. */
  duck(): void {}

  /** A page has no keys. */
  sendDigits(): void {}
}
