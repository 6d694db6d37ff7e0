/** The two sides of a recording. */
import { assert } from "@effect/vitest"
import { made } from "./Fixtures.ts"
import type { Client } from "./TestServer.ts"
import { shareAt } from "./ToneCode.ts"
import { until } from "./Until.ts"

export interface ReadRecording {
  readonly rate: number
  /** The other party. */
  readonly left: Int16Array
  /** The agent. */
  readonly right: Int16Array
}

/** Parses a WAV file. `isGrowing` allows the header of a file that is being written to be one part behind. */
export const readRecording = (file: Uint8Array, isGrowing = false): ReadRecording => {
  const bytes = Buffer.from(file)
  assert.strictEqual(bytes.toString("latin1", 0, 4) + bytes.toString("latin1", 8, 16), "RIFFWAVEfmt ")
  assert.strictEqual(bytes.readUInt16LE(22), 2)
  const sound = bytes.subarray(44, 44 + bytes.readUInt32LE(40))
  if (!isGrowing) assert.strictEqual(sound.length, bytes.length - 44)
  const side = (offset: number) =>
    Int16Array.from({ length: sound.length / 4 }, (_, at) => sound.readInt16LE(at * 4 + offset))
  return { rate: bytes.readUInt32LE(24), left: side(0), right: side(2) }
}

/** Waits until the recording of an ended call is complete, and returns it. */
export const recordingOf = async (
  { owner, url }: { readonly owner: Client; readonly url: string },
  id: string,
): Promise<ReadRecording> => {
  await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).recording_state === "complete")
  const headers = { authorization: `Bearer ${owner.token}`, "x-account-id": owner.account ?? "" }
  const response = await fetch(`${url}/api/v1/calls/${id}/recording`, { headers })
  return readRecording(new Uint8Array(await response.arrayBuffer()))
}

/** The first millisecond at which this tone lasts for 100 ms. Undefined if there is none. */
export const onsetOf = (hz: number, samples: Int16Array, rate: number): number | undefined => {
  const hop = rate / 100
  for (let at = 0; at + hop * 10 <= samples.length; at += hop) {
    const frame = samples.subarray(at, at + hop * 10)
    const isLoud = frame.some((sample) => Math.abs(sample) > 500)
    if (isLoud && shareAt(hz, frame, rate) > 0.5) return (at / rate) * 1_000
  }
  return undefined
}

/** Returns whether there is no sound between two times, in milliseconds. */
export const isSilent = (samples: Int16Array, rate: number, from: number, to: number): boolean =>
  samples.subarray((from * rate) / 1_000, (to * rate) / 1_000).every((sample) => Math.abs(sample) < 50)
