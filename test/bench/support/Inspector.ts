/** The heap of a process started with `--inspect`, after a garbage collection: what it holds, not what it has not yet swept. */
import { createServer } from "node:net"

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export const heapOf = async (port: number): Promise<number> => {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  let id = 0
  const call = (method: string, params: object = {}): Promise<any> =>
    new Promise((resolve) => {
      const own = ++id
      const listen = (event: MessageEvent) => {
        const answer = JSON.parse(event.data)
        if (answer.id !== own) return
        socket.removeEventListener("message", listen)
        resolve(answer.result)
      }
      socket.addEventListener("message", listen)
      socket.send(JSON.stringify({ id: own, method, params }))
    })
  await call("HeapProfiler.collectGarbage")
  const { result } = await call("Runtime.evaluate", { expression: "process.memoryUsage().heapUsed" })
  socket.close()
  return result.value
}
