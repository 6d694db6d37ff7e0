/**
 * The process in which a tool runs on WebAssembly, started by WebAssembly.ts with Node locked. `serve` takes a snapshot
 * on descriptor 4 and one job on stdin; `make` takes the initial Python code on stdin and returns the snapshot. Both
 * answer on descriptor 3. The event loop does not run during the job, and the process ends after it.
 */
import { fstatSync, openSync, readSync, writeSync } from "node:fs"
import { setPriority } from "node:os"
import * as Devices from "./Devices.ts"
import * as ImportGate from "./ImportGate.ts"
import * as Pyodide from "./Pyodide.ts"
import * as Realm from "./Realm.ts"

declare global {
  namespace NodeJS {
    interface Process {
      /** Ends the process at once, without listeners. */
      readonly reallyExit: (code: number) => never
    }
  }
}

const [, , mode] = process.argv
const answers = 3
const snapshotFile = 4
/** A digest precedes the snapshot (Snapshot.ts). */
const snapshotAt = 32

const exit = process.reallyExit.bind(process)
const pause = new Int32Array(new SharedArrayBuffer(4))

const writeAll = (descriptor: number, data: Uint8Array) => {
  for (let written = 0; written < data.length;) written += writeSync(descriptor, data, written)
}
const print = (text: string) => writeAll(2, new TextEncoder().encode(`${text}\n`))

const endAt = (name: string): never => {
  print(`sandbox: ${name} is not available to tools`)
  return exit(70)
}

const readAll = (descriptor: number): Uint8Array => {
  const parts: Array<Uint8Array> = []
  for (;;) {
    const part = new Uint8Array(65_536)
    const size = readSync(descriptor, part)
    if (size === 0) break
    parts.push(part.subarray(0, size))
  }
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const readSnapshot = (): Uint8Array => {
  const bytes = new Uint8Array(fstatSync(snapshotFile).size - snapshotAt)
  for (let read = 0; read < bytes.length;) {
    read += readSync(snapshotFile, bytes, read, bytes.length - read, snapshotAt + read)
  }
  return bytes
}

/** Opens all 64 descriptors that the process may have. After that, not even JavaScript can open a socket. */
const takeAllDescriptors = () => {
  try {
    for (;;) openSync(import.meta.filename, "r")
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) throw error
  }
}

const make = async (gate: ImportGate.ImportGate) => {
  const python = await Pyodide.load(gate, undefined)
  Devices.add(python.files, { pause, end: endAt, answer: () => {} })
  python.run(new TextDecoder().decode(readAll(0)))
  writeAll(answers, python.snapshot())
  exit(0)
}

const serve = async (gate: ImportGate.ImportGate) => {
  const python = await Pyodide.load(gate, readSnapshot())
  const { files } = python
  python.printTo(
    (bytes) => writeAll(1, bytes),
    (bytes) => writeAll(2, bytes),
  )
  const devices = Devices.add(files, { pause, end: endAt, answer: (bytes) => writeAll(answers, bytes) })
  // Random state in the snapshot would be the same in every process.
  python.run("import os as _os; random.seed(_os.urandom(32)); del _os")
  takeAllDescriptors()
  // The start runs at the server's priority, and the tool's job at a lower one, because live calls come first.
  setPriority(10)
  Realm.empty()
  writeAll(answers, new TextEncoder().encode("ready\n"))

  files.writeFile("/job.json", readAll(0))
  devices.lock()
  gate.close()
  exit(runJob(python))
}

const runJob = (python: Pyodide.Python): number => {
  try {
    return python.runBare("main()\n")
  } catch (error) {
    // Python is broken from here on; the parent gets no answer.
    if (error instanceof RangeError) print("sandbox: the tool recursed deeper than the sandbox's stack")
    if (error instanceof WebAssembly.RuntimeError) print("sandbox: Python crashed; it may have run out of memory")
    return 1
  }
}

// Python shows this to tools, and it would be a path of the machine.
process.argv[1] = "python"
Realm.withholdModules()
await (mode === "make" ? make : serve)(ImportGate.make(endAt))
