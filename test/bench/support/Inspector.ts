/** Inspects a process started with `--inspect`: its heap after a collection, and how long its event loop was held. */
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

/** The process's memory after a collection, so that garbage does not count. */
const collected = (port: number): Promise<NodeJS.MemoryUsage> =>
  inspect(port, async (ask) => {
    await ask("HeapProfiler.collectGarbage")
    return evaluate(ask, "process.memoryUsage()")
  })

/** Bytes of the heap in use after a collection. */
export const heapOf = async (port: number): Promise<number> => (await collected(port)).heapUsed

/** Bytes in use after a collection, in the heap and in the buffers that it holds. */
export const heldBy = async (port: number): Promise<number> => {
  const { external, heapUsed } = await collected(port)
  return heapUsed + external
}

/** The port in the line that a process started with `--inspect` prints. */
export const inspectorPort = (said: string): number =>
  Number(/Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1])

/** In milliseconds. */
export interface Held {
  readonly p99: number
  readonly max: number
  /** The most processor time of the thread in one tick, without its waits for a processor. */
  readonly own: number
}

/** Starts measuring. The returned function gives how long the loop was held. */
export const watchLoop = async (port: number) => {
  await inspect(port, (ask) =>
    evaluate(
      ask,
      `globalThis.benchLoop = (() => {
         const delay = process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: 1 })
         delay.enable()
         let before = process.threadCpuUsage()
         let own = 0
         let isOver = false
         // It clears itself: an evaluation interrupts whatever runs, and a timer that is cleared while Node is about to run
         // it ends the process.
         const watching = setInterval(() => {
           if (isOver) return clearInterval(watching)
           const now = process.threadCpuUsage()
           own = Math.max(own, now.user + now.system - before.user - before.system)
           before = now
         }, 1)
         return () => {
           isOver = true
           delay.disable()
           return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6, own: own / 1e3 }
         }
       })()`,
    ),
  )
  return (): Promise<Held> => inspect(port, (ask) => evaluate(ask, "globalThis.benchLoop()"))
}
