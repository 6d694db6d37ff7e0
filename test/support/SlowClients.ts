/** Clients that stop reading a response or sending an upload. */
import type { Socket } from "node:net"
import { openSocket } from "./RawSocket.ts"

/** Sends the head of a request and reads nothing. `head` is its lines. */
export const silent = async (url: string, head: ReadonlyArray<string>): Promise<Socket> => {
  const socket = await openSocket(url)
  socket.pause()
  socket.write([...head, "", ""].join("\r\n"))
  return socket
}

/** Begins to upload a campaign and sends nothing further. */
export const slowUpload = async (url: string, headers: ReadonlyArray<string>): Promise<Socket> => {
  const socket = await openSocket(url)
  const lines = [
    "POST /api/v1/campaigns HTTP/1.1",
    ...headers,
    "Content-Type: multipart/form-data; boundary=b",
    "Content-Length: 100000",
    "",
    "--b",
    'Content-Disposition: form-data; name="contacts"; filename="c.csv"',
    "Content-Type: text/csv",
    "",
    "phone_number",
    "+14155550101",
    "",
  ]
  socket.write(lines.join("\r\n"))
  return socket
}

/** A contact list whose export is larger than the kernel's buffers for a connection. */
export const longCsv = (): string => {
  const wide = "x".repeat(900)
  return `phone_number,note\n${Array.from({ length: 10_000 }, (_, at) => `+1415${5_500_000 + at},${wide}`).join("\n")}\n`
}
