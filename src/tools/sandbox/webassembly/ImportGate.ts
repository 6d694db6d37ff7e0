/**
 * The import gate: the JavaScript functions that CPython on WebAssembly may call while a tool runs. A tool is assumed
 * to control the module's whole memory, so it can call any import with any numbers. An import that no list below names
 * ends the process; this closes the bridge to JavaScript, ctypes and promises.
 */

/** Files in memory, clocks, random bytes, signals. All take and return numbers, and never a JavaScript object. */
const open = new Set([
  ...["fd_close", "fd_read", "fd_write", "fd_seek", "fd_sync", "fd_fdstat_get", "fd_pread", "fd_pwrite"],
  ...["clock_time_get", "clock_res_get", "random_get", "environ_get", "environ_sizes_get"],
  ...["emscripten_get_now", "emscripten_date_now", "emscripten_get_heap_max"],
  ...["openat", "stat64", "lstat64", "fstat64", "newfstatat", "getdents64", "getcwd", "readlinkat", "faccessat"].map(
    (name) => `__syscall_${name}`,
  ),
  ...["ioctl", "fadvise64", "dup", "dup3", "chdir", "umask_js", "getuid32_js", "statfs64", "fstatfs64", "poll"].map(
    (name) => `__syscall_${name}`,
  ),
  ...["_tzset_js", "_timegm_js", "_mktime_js", "_localtime_js", "_gmtime_js"],
  ...["_PyEM_TrampolineCall_JS", "_Py_CheckEmscriptenSignals_Helper", "_Py_emscripten_runtime"],
  ...["proc_exit", "exit", "_abort_js"],
])

/** Error numbers of Emscripten, negative as a system call returns them. */
const notPermitted = -63
const readOnly = -69
const invalid = -28

/**
 * Calls that ordinary modules of Python make. They return an error, which Python raises, instead of ending the process.
 */
const refused = new Map<string, number>([
  ...["socket", "bind", "connect", "listen", "accept4", "getpeername", "getsockname", "getsockopt", "recvfrom"].map(
    (name) => [`__syscall_${name}`, notPermitted] as const,
  ),
  ...["recvmsg", "sendmsg", "sendto", "pipe", "mknodat", "fdatasync", "fchdir"].map(
    (name) => [`__syscall_${name}`, notPermitted] as const,
  ),
  ...["_emscripten_system", "_setitimer_js", "_mmap_js", "_munmap_js", "_msync_js"].map(
    (name) => [name, notPermitted] as const,
  ),
  ...["mkdirat", "unlinkat", "rmdir", "renameat", "ftruncate64", "truncate64", "fallocate", "symlinkat", "fchmod"].map(
    (name) => [`__syscall_${name}`, readOnly] as const,
  ),
  ...["chmod", "fchmodat2", "utimensat", "fchownat", "fchown32"].map(
    (name) => [`__syscall_${name}`, readOnly] as const,
  ),
  ...["_dlopen_js", "_dlsym_js", "_emscripten_lookup_name", "getprotobyname", "_emscripten_get_progname"].map(
    (name) => [name, 0] as const,
  ),
  ...["emscripten_debugger", "emscripten_log_impl_js", "_emscripten_log_formatted"].map((name) => [name, 0] as const),
  ...["emscripten_runtime_keepalive_push", "emscripten_runtime_keepalive_pop"].map((name) => [name, 0] as const),
  ...["_emscripten_runtime_keepalive_clear", "emscripten_set_up_async_input_device_js"].map(
    (name) => [name, 0] as const,
  ),
  // "Not handled here": the caller continues without JavaScript.
  ...["_maybe_connect_async", "_maybe_recvfrom_async", "_maybe_sendto_async", "_maybe_poll_async", "_try_fcntl64"].map(
    (name) => [name, 0] as const,
  ),
  ["can_run_sync_js", 0],
  ["emscripten_promise_create", 0],
  ["_try_shutdown", -1],
  // EAI_NONAME
  ["getaddrinfo", -2],
  ["getnameinfo", -2],
])

/** A tool's whole memory, Python itself included. */
const mostMemory = 256 * 1024 * 1024
/** F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC. F_SETFL is missing: it could make a read-only file writable. */
const harmlessFcntl = new Set<unknown>([0, 1, 2, 3, 1030])

type Import = (...args: ReadonlyArray<unknown>) => unknown

/** Imports that stay open within bounds: the call, or the number that refuses it. */
const bounded: Readonly<Record<string, (call: Import) => Import>> = {
  emscripten_resize_heap: (call) => (size) => (Number(size) >>> 0 > mostMemory ? 0 : call(size)),
  __syscall_fcntl64: (call) => (file, command, rest) =>
    harmlessFcntl.has(command) ? call(file, command, rest) : invalid,
}

export interface ImportGate {
  /** Puts a guard before each function, in place: the dynamic linker hands out functions from the same object. */
  readonly guard: (imports: Record<string, WebAssembly.ImportValue>) => void
  /** Closes the gate until the process ends. */
  readonly close: () => void
}

/** `end` ends the process and reports which import was called. */
export const make = (end: (name: string) => never): ImportGate => {
  let isClosed = false
  const guard = (name: string, call: Import): Import => {
    const inBounds = bounded[name]?.(call)
    const answer = refused.get(name)
    if (inBounds !== undefined) return (...args) => (isClosed ? inBounds(...args) : call(...args))
    if (answer !== undefined) return (...args) => (isClosed ? answer : call(...args))
    return (...args) => (isClosed ? end(name) : call(...args))
  }
  return {
    guard: (imports) => {
      for (const [name, value] of Object.entries(imports)) {
        if (open.has(name) || isPlainWebAssembly(value)) continue
        // A `WebAssembly.Suspending` is an object; it waits for a promise, which no tool needs.
        if (typeof value !== "function") imports[name] = () => end(name)
        // Emscripten keeps signatures as properties of the function.
        else
          imports[name] = Object.assign(
            guard(name, (...args) => Reflect.apply(value, undefined, args)),
            value,
          )
      }
    },
    close: () => {
      isClosed = true
    },
  }
}

const isPlainWebAssembly = (value: WebAssembly.ImportValue) =>
  value instanceof WebAssembly.Global ||
  value instanceof WebAssembly.Table ||
  value instanceof WebAssembly.Memory ||
  value instanceof WebAssembly.Tag
