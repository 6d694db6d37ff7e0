/** Clients that stop reading their answer, or sending their upload. */
import type { Socket } from "node:net"
import { openSocket } from "./RawSocket.ts"

/** Sends the beginning of a request and reads nothing. `head`: its lines. */
export const silent = async (url: string, head: ReadonlyArray<string>): Promise<Socket> => {
  const socket = await openSocket(url)
  socket.pause()
  socket.write([...head, "", ""].join("\r\n"))
  return socket
}

/** Begins to upload a campaign and sends no more. */
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

/** Contacts of which an export is more than the kernel's buffers of a connection take. */
export const longCsv = (): string => {
  const wide = "x".repeat(900)
  return `phone_number,note\n${Array.from({ length: 10_000 }, (_, at) => `+1415${5_500_000 + at},${wide}`).join("\n")}\n`
}
