/** The sound of a call in a page: the visitor's microphone and the agent's voice. Independent of the network. */
import type { SoundOrder, SoundRates } from "../../../src/domain/WidgetMessage.ts"
import type { Captured, Played, ToPlay } from "./audio.ts"

/**
 * The sample rates in Hz that page and server agree on. A server announces its own in `ready`, before the sound begins.
 */
export const rates: SoundRates = { heard: 16_000, spoken: 24_000 }

export interface VoiceEvents {
  /** Called with 20 ms of the visitor's voice, as on the wire: the number of the last played frame, then the sound. */
  readonly spoke: (frame: Uint8Array<ArrayBuffer>) => void
  /** The microphone has ended. */
  readonly lost: () => void
}

const headerBytes = 4

export class Voice {
  /** The present loudness of each side, from 0 to 1. */
  visitorLevel = 0
  agentLevel = 0
  isAgentSpeaking = false
  isMuted = false
  readonly #stream: MediaStream
  readonly #input: AudioContext
  readonly #output: AudioContext
  readonly #playback: AudioWorkletNode
  #played = 0
  #isOpen = true

  private constructor(stream: MediaStream, input: AudioContext, output: AudioContext, events: VoiceEvents) {
    this.#stream = stream
    this.#input = input
    this.#output = output
    const capture = new AudioWorkletNode(input, "parley-capture", {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: "explicit",
      processorOptions: { rate: rates.heard },
    })
    input.createMediaStreamSource(stream).connect(capture)
    capture.port.addEventListener("message", ({ data }: MessageEvent<Captured>) => events.spoke(this.#packed(data)))
    capture.port.start()
    this.#playback = new AudioWorkletNode(output, "parley-playback", { numberOfInputs: 0, outputChannelCount: [1] })
    this.#playback.connect(output.destination)
    this.#playback.port.addEventListener("message", ({ data }: MessageEvent<Played>) => {
      this.#played = data.played
      this.isAgentSpeaking = data.playing
      this.agentLevel = data.playing ? data.level : 0
    })
    this.#playback.port.start()
    for (const track of stream.getAudioTracks()) track.addEventListener("ended", () => this.#isOpen && events.lost())
    // A phone call or a change of headset may suspend a context, which then has to be resumed.
    for (const context of [input, output]) {
      context.addEventListener("statechange", () => {
        if (this.#isOpen && context.state !== "running") void context.resume()
      })
    }
  }

  /** Asks for the microphone. Browsers require a visitor's press for it, and for sound. */
  static async open(server: string, events: VoiceEvents): Promise<Voice> {
    const output = new AudioContext({ sampleRate: rates.spoken, latencyHint: "interactive" })
    const input = new AudioContext({ latencyHint: "interactive" })
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      })
      try {
        const script = `${server}/widget/audio.js`
        await Promise.all([input.audioWorklet.addModule(script), output.audioWorklet.addModule(script)])
        await Promise.all([input.resume(), output.resume()])
        return new Voice(stream, input, output, events)
      } catch (cause) {
        for (const track of stream.getTracks()) track.stop()
        throw cause
      }
    } catch (cause) {
      void input.close()
      void output.close()
      throw cause
    }
  }

  #packed({ frame, level }: Captured): Uint8Array<ArrayBuffer> {
    this.visitorLevel = this.isMuted ? 0 : level
    const bytes = new Uint8Array(headerBytes + frame.byteLength)
    new DataView(bytes.buffer).setUint32(0, this.#played, true)
    if (!this.isMuted) bytes.set(new Uint8Array(frame), headerBytes)
    return bytes
  }

  /** Plays a received frame. */
  hear(bytes: ArrayBuffer): void {
    const frame = bytes.slice(headerBytes)
    const message: ToPlay = { number: new DataView(bytes).getUint32(0, true), frame }
    this.#playback.port.postMessage(message, [frame])
  }

  order(what: SoundOrder, frame: number): void {
    const message: ToPlay = { do: what, frame }
    this.#playback.port.postMessage(message, [])
  }

  close(): void {
    this.#isOpen = false
    for (const track of this.#stream.getTracks()) track.stop()
    void this.#input.close()
    void this.#output.close()
  }
}
