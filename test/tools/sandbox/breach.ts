/**
 * A process that loads Python behind the import gate, closes it, and then does what a tool could that owns all memory:
 * calls every import that is not open with numbers of its choice. Prints what became of each, by name.
 */
import * as ImportGate from "../../../src/tools/sandbox/webassembly/ImportGate.ts"
import * as Pyodide from "../../../src/tools/sandbox/webassembly/Pyodide.ts"
import * as Realm from "../../../src/tools/sandbox/webassembly/Realm.ts"
import { open } from "./imports.ts"

class Ended extends Error {}

const { Instance } = WebAssembly
let names: ReadonlyArray<string> = []
let env: Record<string, unknown> = {}
/** Emscripten makes a small module for each function of JavaScript that it puts into the table of functions. */
const inTable: Array<unknown> = []
Object.assign(WebAssembly, {
  Instance: function (module: WebAssembly.Module, imports: WebAssembly.Imports) {
    if (imports.env?.fd_write === undefined) {
      for (const group of Object.values(imports)) inTable.push(...Object.values(group))
    } else {
      names = WebAssembly.Module.imports(module).flatMap(({ kind, name }) => (kind === "function" ? [name] : []))
      env = imports.env
    }
    return new Instance(module, imports)
  },
})

const gate = ImportGate.make(() => {
  throw new Ended()
})
Realm.withholdModules()
await Pyodide.load(gate, undefined)
gate.close()

const call = (name: string, ...args: ReadonlyArray<number>): unknown => {
  const value = env[name]
  if (typeof value !== "function") return "no function"
  try {
    return Reflect.apply(value, undefined, args)
  } catch (error) {
    return error instanceof Ended ? "ends" : `throws ${String(error)}`
  }
}

const guarded = new Set(Object.values(env))
const isFunctionOfJavaScript = (value: unknown) =>
  typeof value === "function" && !/^function \d+\(\) \{ \[native code\] \}$/u.test(String(value))
console.log(
  JSON.stringify({
    names,
    outcomes: Object.fromEntries(
      names.filter((name) => !open.includes(name)).map((name) => [name, call(name, 1, 2, 3, 4, 5, 6)]),
    ),
    pastTheGate: inTable.filter((value) => isFunctionOfJavaScript(value) && !guarded.has(value)).map(String),
    growsPastTheLimit: call("emscripten_resize_heap", 300 * 1024 * 1024),
    makesAFileWritable: call("__syscall_fcntl64", 0, 4, 2),
  }),
)
process.exit(0)
