/** The devices under /dev that an interpreter has in addition to Emscripten's, and the lock on all other files. */
import type { DeviceOperations, MemoryFiles, Stream } from "./Pyodide.ts"
import { zoneFile } from "./ZoneData.ts"

interface Surroundings {
  /** A cell that is never notified, so waiting on it is sleeping. */
  readonly pause: Int32Array
  /** Ends the process, saying why. */
  readonly end: (why: string) => never
  /** Takes the job's answer. */
  readonly answer: (bytes: Uint8Array) => void
}

/**
 * How long after its start a job may still sleep, in milliseconds. A tool that sleeps uses no processor time, so the
 * limit on that would not end it after the server is gone. Like that limit, it is a little more than the longest
 * invocation.
 */
const longestSleep = 12_000

const readOnlyError = 69
/** O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND */
const writing = 1 | 2 | 64 | 512 | 1024

/** Adds the devices. `lock` makes every other file read-only, for good. */
export const add = (files: MemoryFiles, { answer, end, pause }: Surroundings) => {
  const { ErrnoError, isChrdev, lookupPath, open, write } = files
  const now = performance.now.bind(performance)
  let deadline = Number.POSITIVE_INFINITY

  const sleep = (request: Uint8Array) => {
    const seconds = request.length === 8 ? new DataView(request.buffer).getFloat64(0, true) : 0
    // Atomics.wait takes NaN for an endless time.
    const milliseconds = Number.isNaN(seconds) ? 0 : seconds * 1000
    const left = deadline - now()
    Atomics.wait(pause, 0, 0, Math.max(0, Math.min(milliseconds, left)))
    return milliseconds > left ? end("sleeping for longer than a tool may run") : undefined
  }
  const zone = (request: Uint8Array) => {
    const name = new TextDecoder().decode(request)
    return name === "*" ? new TextEncoder().encode(Intl.supportedValuesOf("timeZone").join(" ")) : zoneFile(name)
  }
  const consume = (bytes: Uint8Array) => {
    answer(bytes)
    return undefined
  }
  const devices = { answer: consume, sleep, zone }
  for (const [index, [name, respond]] of Object.entries(devices).entries()) {
    const device = files.makedev(77, index)
    files.registerDevice(device, deviceOf(respond))
    files.mkdev(`/dev/${name}`, device)
  }

  const refuse = (): never => {
    throw new ErrnoError(readOnlyError)
  }
  const isDevice = (path: unknown) =>
    typeof path === "string" &&
    /^\/dev\/[a-z0-9]+$/u.test(path) &&
    isChrdev(lookupPath(path, { follow: true }).node.mode)
  return {
    lock: () => {
      deadline = now() + longestSleep
      files.open = (path, flags, mode) =>
        typeof flags === "number" && (flags & writing) !== 0 && !isDevice(path) ? refuse() : open(path, flags, mode)
      // In addition to the stream's flags, so that changing those cannot make a file grow.
      files.write = (stream, ...rest) => (isChrdev(stream.node.mode) ? write(stream, ...rest) : refuse())
    },
  }
}

/** Each write is a request; reads return the rest of its response. */
const deviceOf = (respond: (request: Uint8Array) => Uint8Array | undefined): DeviceOperations => {
  let response = new Uint8Array(0)
  return {
    open: () => {},
    close: () => {},
    llseek: () => 0,
    read: (_: Stream, buffer, offset, length) => {
      const part = response.subarray(0, length)
      buffer.set(part, offset)
      response = response.subarray(part.length)
      return part.length
    },
    write: (_: Stream, buffer, offset, length) => {
      response = new Uint8Array(respond(buffer.slice(offset, offset + length)) ?? [])
      return length
    },
  }
}
