/**
 * A connection to the server that passes on about 256 KiB in a tick of the event loop. Node reads up to 2 MiB at once
 * from a full socket, and the driver takes 100 ms to parse 2 MiB of JSON with many keys.
 */
import type { Socket } from "node:net"

/** Bytes. Node reads up to 64 KiB at a time. A piece smaller than this has emptied the socket, and is not counted. */
const largePiece = 32 * 1024
/**
 * Bytes in large pieces after which the socket pauses until the next tick. Pausing after every large piece made a page
 * of 50 FAQs, which is 42 KiB, a fifth more expensive.
 */
const mostInATick = 256 * 1024

export const pace = <S extends Socket>(socket: S): S => {
  const pause = socket.pause.bind(socket)
  const resume = socket.resume.bind(socket)
  /**
   * Whether the driver wants to read. It pauses the socket while the reader of a stream is behind, and the end of a
   * tick must not resume the socket then.
   */
  let isWanted = true
  let isWaiting = false
  let inThisTick = 0
  const endTick = () => {
    inThisTick = 0
    if (!isWaiting) return
    isWaiting = false
    if (isWanted) resume()
  }
  socket.on("data", ({ length }: Buffer) => {
    if (length < largePiece) return
    if (inThisTick === 0) setImmediate(endTick)
    inThisTick += length
    if (inThisTick < mostInATick || isWaiting) return
    isWaiting = true
    pause()
  })
  return Object.assign(socket, {
    pause: () => {
      isWanted = false
      return pause()
    },
    resume: () => {
      isWanted = true
      return isWaiting ? socket : resume()
    },
  })
}
