/** A page with a voice call, reduced to its socket. It speaks in tones and keeps what it hears. */
import { WebSocket } from "ws"
import type { FromServer } from "../../src/domain/WidgetMessage.ts"
import { type Page, visit } from "./WidgetPage.ts"
import { shareAt, silence, spoken } from "./ToneCode.ts"

const heardRate = 16_000
const spokenRate = 24_000
const heardLength = heardRate / 50
/** The most milliseconds of delay for which frames are caught up. The server accepts no more (VoiceLine.ts). */
const latestMs = 200

export interface HeardFrame {
  readonly number: number
  readonly samples: Int16Array
}

export interface VoicePage extends Page {
  /** Every frame that was played, in order. */
  readonly played: ReadonlyArray<HeardFrame>
  /** Says these words from now on. */
  readonly say: (words: string) => void
  /** True while there is speech that was not sent yet. */
  readonly isSpeaking: () => boolean
  /** Stops playing and sending, while the connection stays open. */
  readonly freeze: () => void
  /** The milliseconds of this tone that were played. */
  readonly playedMs: (hz: number) => number
}

/** The page's side of the connection in real time: a frame each 20 ms in both directions. */
export const call = async (
  session: { ws_url: string; session_token: string },
  hello: object = {},
): Promise<VoicePage> => {
  let socket: WebSocket | undefined
  const page = await visit(session, { hello: { mode: "voice", ...hello }, opened: (open) => void (socket = open) })
  const waiting: Array<HeardFrame> = []
  const played: Array<HeardFrame> = []
  let speech: Array<Int16Array> = []
  let last = 0
  let held = false
  const order = (message: FromServer) => {
    if (message.type !== "sound") return
    held = message.do === "hold"
    if (message.do === "clear")
      waiting.splice(0, waiting.length, ...waiting.filter(({ number }) => number >= message.frame))
  }
  socket?.on("message", (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return order(JSON.parse(String(data)))
    const bytes = Uint8Array.from(data)
    waiting.push({ number: data.readUInt32LE(0), samples: new Int16Array(bytes.buffer, 4) })
  })
  let began = performance.now()
  let ticks = 0
  const tick = () => {
    // After a longer stall, continue from where it was and do not send and play seconds of sound at once.
    const late = performance.now() - began - ticks * 20
    if (late > latestMs) began += late - latestMs
    while (ticks * 20 < performance.now() - began) {
      ticks++
      const frame = held ? undefined : waiting.shift()
      if (frame !== undefined) {
        played.push(frame)
        last = frame.number
      }
      const bytes = Buffer.alloc(4 + heardLength * 2)
      bytes.writeUInt32LE(last, 0)
      const said = speech.shift() ?? silence(20, heardRate)
      for (let at = 0; at < said.length; at++) bytes.writeInt16LE(said[at] ?? 0, 4 + at * 2)
      if (socket?.readyState === WebSocket.OPEN) socket.send(bytes)
    }
  }
  const clock = setInterval(tick, 5)
  void page.closed.then(() => clearInterval(clock))
  return {
    ...page,
    played,
    isSpeaking: () => speech.length > 0,
    freeze: () => clearInterval(clock),
    say: (words) => {
      const sound = spoken(words, heardRate)
      speech = [
        ...speech,
        ...Array.from({ length: Math.ceil(sound.length / heardLength) }, (_, at) => {
          const frame = new Int16Array(heardLength)
          frame.set(sound.subarray(at * heardLength, (at + 1) * heardLength))
          return frame
        }),
      ]
    },
    playedMs: (hz) => played.filter(({ samples }) => shareAt(hz, samples, spokenRate) > 0.8).length * 20,
  }
}
