/** Looks into a process started with `--inspect`: its heap after a garbage collection, and how long its event loop was held. */
import { createServer } from "node:net"

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

type Ask = (method: string, params?: object) => Promise<any>

const inspect = async <A>(port: number, use: (ask: Ask) => Promise<A>): Promise<A> => {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  let id = 0
  const ask: Ask = (method, params = {}) =>
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
  const found = await use(ask)
  socket.close()
  return found
}

const evaluate = async (ask: Ask, expression: string) =>
  (await ask("Runtime.evaluate", { expression, returnByValue: true })).result.value

/** What the heap holds, not what it has not yet swept. */
export const heapOf = (port: number): Promise<number> =>
  inspect(port, async (ask) => {
    await ask("HeapProfiler.collectGarbage")
    return evaluate(ask, "process.memoryUsage().heapUsed")
  })

/** From now on; the answer is in milliseconds how long the loop was held, at worst and at the 99th percentile. */
export const watchLoop = async (port: number) => {
  const histogram = "globalThis.benchLoop"
  await inspect(port, (ask) =>
    evaluate(
      ask,
      `${histogram} ??= process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: 1 });
       ${histogram}.reset(); ${histogram}.enable()`,
    ),
  )
  return (): Promise<{ readonly p99: number; readonly max: number }> =>
    inspect(port, (ask) => evaluate(ask, `({ p99: ${histogram}.percentile(99) / 1e6, max: ${histogram}.max / 1e6 })`))
}
