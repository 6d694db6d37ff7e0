/** A listener to a live call over HTTP. It keeps what it hears, with the times. */
import { get, type IncomingMessage } from "node:http"
import type { Client } from "./TestServer.ts"

export interface Listener {
  readonly rate: number
  /** The sound of the other party and of the agent so far. */
  readonly sides: () => { readonly left: Int16Array; readonly right: Int16Array }
  /** When sound louder than noise first arrived on a side, by `performance.now()`. */
  readonly heardAt: (side: "left" | "right") => number | undefined
  readonly isOver: () => boolean
  /** Whether the answer came to its end. */
  readonly isWhole: () => boolean
  /** Drops the connection without closing it properly. */
  readonly vanish: () => void
}

const headerBytes = 44
const loud = 1_000

export const listenTo = async (url: string, { account, token }: Client, id: string): Promise<Listener> => {
  const headers = { authorization: `Bearer ${token}`, "x-account-id": account ?? "" }
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${url}/api/v1/calls/${id}/listen`, { headers }, resolve).on("error", reject),
  )
  if (response.statusCode !== 200) throw new Error(`listening was answered with ${response.statusCode}`)
  let bytes = Buffer.alloc(0)
  let isOver = false
  const heardAt: { left?: number; right?: number } = {}
  const sampleAt = (frame: number, side: 0 | 2) => bytes.readInt16LE(headerBytes + frame * 4 + side)
  let read = 0
  response.on("data", (part: Buffer) => {
    bytes = Buffer.concat([bytes, part])
    for (; headerBytes + (read + 1) * 4 <= bytes.length; read++) {
      if (Math.abs(sampleAt(read, 0)) > loud) heardAt.left ??= performance.now()
      if (Math.abs(sampleAt(read, 2)) > loud) heardAt.right ??= performance.now()
    }
  })
  response.on("error", () => {})
  response.on("close", () => void (isOver = true))
  return {
    get rate() {
      return bytes.readUInt32LE(24)
    },
    sides: () => ({
      left: Int16Array.from({ length: read }, (_, frame) => sampleAt(frame, 0)),
      right: Int16Array.from({ length: read }, (_, frame) => sampleAt(frame, 2)),
    }),
    heardAt: (side) => heardAt[side],
    isOver: () => isOver,
    isWhole: () => response.complete,
    vanish: () => response.destroy(),
  }
}
