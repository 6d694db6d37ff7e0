/** Plays the sound of a live call as it arrives: the other party on the left, the agent on the right. */
import { Problem } from "./Problem.ts"
import { asMember, send } from "./Rest.ts"

const headerBytes = 44
/** The offset of the sample rate in a WAV header. */
const rateOffset = 24
/** Two samples of 16 bits. */
const frameBytes = 4
/** Sound is played this many seconds after it has arrived, so that an uneven network leaves no gaps. */
const lead = 0.12
/** Sound that would play more than this many seconds late is dropped. */
const latest = 0.6

/** A process that cannot reach the call's process answers `call_elsewhere`; another one may. */
const tries = 3

const cutOff = new Problem({
  status: 0,
  code: "listening_cut_off",
  title: "The sound was cut off",
  detail:
    "The connection was lost, or the process that conducts the call has stopped. If the call goes on, press Listen again.",
})

const open = async (account: string, id: string, signal: AbortSignal): Promise<Response> => {
  for (let left = tries - 1; ; left--) {
    try {
      return await send(`/api/v1/calls/${id}/listen`, { headers: asMember(account), signal })
    } catch (error) {
      if (left === 0 || !(error instanceof Problem) || error.data.code !== "call_elsewhere") throw error
    }
  }
}

const concatenate = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/**
 * Plays until the call ends or `signal` aborts. `begun` runs once the sound arrives. Browsers require a user's press.
 */
export const playLiveSound = async (
  account: string,
  id: string,
  signal: AbortSignal,
  begun: () => void,
): Promise<void> => {
  const context = new AudioContext({ latencyHint: "interactive" })
  try {
    await context.resume()
    const { body } = await open(account, id, signal)
    if (body === null) return
    begun()
    let rest = new Uint8Array()
    let rate: number | undefined
    let next = 0
    const reader = body.getReader()
    const read = () =>
      reader.read().catch(() => {
        throw cutOff
      })
    for (let part = await read(); !part.done; part = await read()) {
      rest = concatenate(rest, part.value) as Uint8Array<ArrayBuffer>
      if (rate === undefined) {
        if (rest.length < headerBytes) continue
        rate = new DataView(rest.buffer).getUint32(rateOffset, true)
        rest = rest.slice(headerBytes)
      }
      const frames = Math.floor(rest.length / frameBytes)
      const whole = rest.slice(0, frames * frameBytes)
      rest = rest.slice(whole.length)
      const { currentTime } = context
      if (frames === 0 || next > currentTime + latest) continue
      const at = next < currentTime ? currentTime + lead : next
      play(context, whole, rate, at)
      next = at + frames / rate
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    void context.close()
  }
}

const play = (context: AudioContext, bytes: Uint8Array<ArrayBuffer>, rate: number, at: number): void => {
  const samples = new Int16Array(bytes.buffer)
  const buffer = context.createBuffer(2, samples.length / 2, rate)
  for (const side of [0, 1]) {
    const channel = buffer.getChannelData(side)
    for (let frame = 0; frame < channel.length; frame++) channel[frame] = (samples[frame * 2 + side] ?? 0) / 32_768
  }
  const source = context.createBufferSource()
  source.buffer = buffer
  source.connect(context.destination)
  source.start(at)
}
