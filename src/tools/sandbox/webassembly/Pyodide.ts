/**
 * Loads CPython on WebAssembly into this process, with its imports behind the gate. Pyodide's version is pinned,
 * because this code relies on its internals.
 */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import type { ImportGate } from "./ImportGate.ts"

/** Emscripten's file system in memory: the parts that are used here. */
export interface MemoryFiles {
  open: (path: unknown, flags: unknown, mode?: unknown) => unknown
  write: (stream: Stream, ...rest: ReadonlyArray<unknown>) => unknown
  readonly writeFile: (path: string, data: Uint8Array) => void
  readonly makedev: (major: number, minor: number) => number
  readonly registerDevice: (device: number, operations: DeviceOperations) => void
  readonly mkdev: (path: string, device: number) => void
  readonly isChrdev: (mode: number) => boolean
  readonly lookupPath: (path: string, options: { readonly follow: boolean }) => { readonly node: Node }
  readonly ErrnoError: new (code: number) => Error
}

interface Node {
  readonly mode: number
}

export interface Stream {
  readonly node: Node
}

export interface DeviceOperations {
  readonly open: () => void
  readonly close: () => void
  readonly read: (stream: Stream, buffer: Uint8Array, offset: number, length: number) => number
  readonly write: (stream: Stream, buffer: Uint8Array, offset: number, length: number) => number
  readonly llseek: () => number
}

export interface Python {
  readonly files: MemoryFiles
  readonly run: (code: string) => unknown
  /** Runs code without any JavaScript in between; a result other than 0 is a failure. */
  readonly runBare: (code: string) => number
  readonly printTo: (stdout: (bytes: Uint8Array) => void, stderr: (bytes: Uint8Array) => void) => void
  readonly snapshot: () => Uint8Array
}

/** The result of `loadPyodide` with Emscripten's module, which its types leave out. */
interface Loaded {
  readonly FS: MemoryFiles
  readonly runPython: (code: string) => unknown
  readonly makeMemorySnapshot: () => Uint8Array
  readonly setStdout: (options: { readonly write: (bytes: Uint8Array) => number }) => void
  readonly setStderr: (options: { readonly write: (bytes: Uint8Array) => number }) => void
  readonly _module: {
    readonly lengthBytesUTF8: (text: string) => number
    readonly stringToUTF8: (text: string, at: number, most: number) => void
    readonly _malloc: (size: number) => number
    readonly _PyRun_SimpleString: (at: number) => number
  }
}

const folder = `${dirname(fileURLToPath(import.meta.resolve("pyodide")))}/`

/** Starts from `snapshot`, or from scratch to make one. */
export const load = async (gate: ImportGate, snapshot: Uint8Array | undefined): Promise<Python> => {
  guardInstances(gate)
  const { loadPyodide } = await import("pyodide")
  const options = {
    indexURL: folder,
    args: [],
    packages: [],
    stdin: () => null,
    jsglobals: Object.create(null),
    env: { LC_ALL: "C.UTF-8" },
    ...(snapshot === undefined ? { _makeSnapshot: true } : { _loadSnapshot: snapshot }),
  }
  const loaded: unknown = await loadPyodide(options)
  if (!isLoaded(loaded)) throw new Error("pyodide has changed: it has no file system or no module")
  const { FS, _module: module } = loaded
  const prepare = (text: string) => {
    const size = module.lengthBytesUTF8(text) + 1
    const at = module._malloc(size)
    module.stringToUTF8(text, at, size)
    return at
  }
  const runSimple = module._PyRun_SimpleString
  return {
    files: FS,
    run: (code) => loaded.runPython(code),
    runBare: (code) => runSimple(prepare(code)),
    printTo: (stdout, stderr) => {
      const writing = (write: (bytes: Uint8Array) => void) => (bytes: Uint8Array) => {
        write(bytes)
        return bytes.length
      }
      loaded.setStdout({ write: writing(stdout) })
      loaded.setStderr({ write: writing(stderr) })
    },
    snapshot: () => loaded.makeMemorySnapshot(),
  }
}

const isLoaded = (loaded: unknown): loaded is Loaded =>
  typeof loaded === "object" && loaded !== null && "FS" in loaded && "_module" in loaded

/**
 * Python's main module is the one that imports `fd_write`; the others are small ones that Emscripten makes for single
 * functions.
 */
const guardInstances = (gate: ImportGate) => {
  const instantiate = WebAssembly.instantiate
  const instantiateGuarded = async (source: BufferSource, imports?: WebAssembly.Imports) => {
    const env = imports?.["env"]
    if (imports === undefined || env?.["fd_write"] === undefined) return instantiate.call(WebAssembly, source, imports)
    if (imports["wasi_snapshot_preview1"] !== env) throw new Error("pyodide has changed: its imports are two objects")
    gate.guard(env)
    const module = await WebAssembly.compile(source)
    return { module, instance: new WebAssembly.Instance(module, imports) }
  }
  Object.assign(WebAssembly, { instantiate: instantiateGuarded })
}
