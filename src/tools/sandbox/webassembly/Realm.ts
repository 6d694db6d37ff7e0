/**
 * Empties the JavaScript realm of an interpreter. A tool that reached a JavaScript object would find only the language,
 * and nothing of Node. The import gate is meant to prevent that in the first place.
 */
import { constants } from "node:fs"
import { registerHooks } from "node:module"

/** Pyodide imports these under Node; no tool needs them. */
const unwanted = new Set(["ws", "child_process", "net", "tls"])

/** Replaces the modules that reach out of the process by empty ones. Call it before Pyodide is loaded. */
export const withholdModules = () => {
  registerHooks({
    resolve: (specifier, context, next) =>
      unwanted.has(specifier.replace(/^node:/u, ""))
        ? { url: "data:text/javascript,export default {}", format: "module", shortCircuit: true }
        : next(specifier, context),
  })
  // Pyodide calls it once for the constants of `fs`; the real one throws under --permission.
  Object.assign(process, { binding: () => ({ fs: constants }) })
}

const language = new Set([
  ...["Object", "Function", "Array", "Number", "Boolean", "String", "Symbol", "Date", "Promise", "RegExp", "Iterator"],
  ...["Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"],
  ...["JSON", "Math", "Intl", "ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "Uint8Array", "Int8Array"],
  ...["Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "Float32Array", "Float64Array", "Uint8ClampedArray"],
  ...["BigUint64Array", "BigInt64Array", "BigInt", "Map", "Set", "WeakMap", "WeakSet", "WeakRef"],
  ...["FinalizationRegistry", "Proxy", "Reflect", "Infinity", "NaN", "undefined", "parseFloat", "parseInt"],
  ...["isFinite", "isNaN", "globalThis", "WebAssembly", "TextDecoder", "TextEncoder"],
])

const doorsOfProcess = [
  ...["binding", "_linkedBinding", "dlopen", "getBuiltinModule", "kill", "reallyExit", "execve", "mainModule"],
  ...["_debugProcess", "chdir", "stdin", "stdout", "stderr", "report", "loadEnvFile", "exit", "abort"],
]
const makersOfModules = [
  ...["Module", "Instance", "compile", "instantiate", "compileStreaming", "instantiateStreaming", "validate"],
]

/** Call it after Pyodide is loaded. Functions that are used later must have been saved before. */
export const empty = () => {
  const now = performance.now.bind(performance)
  for (const name of doorsOfProcess) Reflect.defineProperty(process, name, { value: undefined })
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!language.has(name)) Reflect.deleteProperty(globalThis, name)
  }
  for (const name of makersOfModules) Reflect.deleteProperty(WebAssembly, name)
  // Python's clock.
  Object.defineProperty(globalThis, "performance", { value: Object.freeze({ now }) })
}
