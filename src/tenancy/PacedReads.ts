/**
 * A connection to the server that hands on some 64 KiB in a tick of the event loop. Node reads up to 2 MiB at once from a
 * socket that has them; the driver parses what it is given, and 2 MiB of JSON with many keys take it 100 ms.
 */
import type { Socket } from "node:net"

/** Bytes. Node reads 64 KiB at a time; after a shorter piece there was nothing more to read. */
const largePiece = 32 * 1024

export const pace = <S extends Socket>(socket: S): S => {
  const pause = socket.pause.bind(socket)
  const resume = socket.resume.bind(socket)
  /** The driver stops reading while the reader of a stream is behind; it stays stopped then. */
  let isWanted = true
  let isWaiting = false
  const goOn = () => {
    isWaiting = false
    if (isWanted) resume()
  }
  socket.on("data", ({ length }: Buffer) => {
    if (length < largePiece || isWaiting) return
    isWaiting = true
    pause()
    setImmediate(goOn)
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
