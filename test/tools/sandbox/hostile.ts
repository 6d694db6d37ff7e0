/** Tools that an attacker would write to escape, to read what is around, or to take the machine down. */

/** The ToolFailed code, or the exact result. */
export type Ends = { readonly code: string } | { readonly result: unknown }

/** `code` is the body of `def tool(arguments, context):`. */
export interface Hostile {
  readonly name: string
  readonly code: string
  readonly imports?: string
  /** Under bubblewrap; `onWebAssembly` has what differs there. */
  readonly ends: Ends
}

const fails = (code: string) => ({ code })
const gives = (result: unknown) => ({ result })
const raises = fails("tool_error")
const died = fails("tool_died")
const outOfTime = fails("tool_timeout")
const outOfMemory = fails("memory_limit")

const libc = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)"
const errnoAfter = (call: string) => `r = ${call}\nreturn [r, os.strerror(ctypes.get_errno())]`
const notPermitted = gives([-1, "Operation not permitted"])

const hostile = (name: string, ends: Ends, code: string, imports = "import os"): Hostile => ({
  name,
  code,
  imports,
  ends,
})

const network: ReadonlyArray<Hostile> = [
  hostile("opens a TCP socket", raises, "socket.create_connection(('1.1.1.1', 80), 2)", "import socket"),
  hostile("asks the platform on loopback", raises, "socket.create_connection(('127.0.0.1', 3000), 2)", "import socket"),
  hostile("opens a UDP socket", raises, "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "import socket"),
  hostile("opens a raw socket", raises, "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", "import socket"),
  hostile("speaks to the hypervisor over vsock", raises, "socket.socket(40, socket.SOCK_STREAM)", "import socket"),
  hostile("opens a netlink socket", raises, "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)", "import socket"),
  hostile("opens a unix socket", raises, "socket.socket(socket.AF_UNIX).connect('/run/x')", "import socket"),
  hostile(
    "fetches the cloud's metadata",
    raises,
    "urllib.request.urlopen('http://169.254.169.254/', timeout=2)",
    "import urllib.request",
  ),
  hostile("resolves a name", raises, "socket.getaddrinfo('example.com', 443)", "import socket"),
]

const secrets: ReadonlyArray<Hostile> = [
  hostile("reads its environment", gives(["LC_ALL", "MALLOC_ARENA_MAX", "PWD"]), "return sorted(os.environ)"),
  hostile("reads the environment of the first process", gives(""), "return open('/proc/1/environ').read()"),
  hostile(
    "reads its parent's environment",
    gives([]),
    "return [k for k in open(f'/proc/{os.getppid()}/environ').read().split('\\0') if k]",
  ),
  hostile("lists the processes", gives(true), "return len([p for p in os.listdir('/proc') if p.isdigit()]) <= 2"),
  hostile("reads the passwords", raises, "open('/etc/shadow').read()"),
  hostile("reads the users", raises, "open('/etc/passwd').read()"),
  hostile("reads root's home", raises, "os.listdir('/root')"),
  hostile("reads the homes", raises, "os.listdir('/home')"),
  hostile("reads the server's checkout", raises, `os.listdir(${JSON.stringify(process.cwd())})`),
  hostile("reads the logs", raises, "os.listdir('/var/log')"),
  hostile(
    "reads the devices",
    gives([
      "console",
      "core",
      "fd",
      "full",
      "null",
      "ptmx",
      "pts",
      "random",
      "shm",
      "stderr",
      "stdin",
      "stdout",
      "tty",
      "urandom",
      "zero",
    ]),
    "return sorted(set(os.listdir('/dev')) | {'console'})",
  ),
  hostile("reads the kernel's memory", raises, "open('/dev/mem', 'rb').read(1)"),
  hostile(
    "reads the kernel's log",
    notPermitted,
    errnoAfter("libc.klogctl(3, ctypes.create_string_buffer(100), 100)"),
    libc,
  ),
  hostile("reads the disk", raises, "open('/dev/vda', 'rb').read(1)"),
  hostile(
    "reads the machine's addresses of memory",
    gives(true),
    "return not os.path.exists('/proc/kcore') or open('/proc/kcore','rb').read(1) == b''",
  ),
  hostile(
    "climbs out by a descriptor left open",
    gives([0, 1, 2, 3]),
    "return [fd for fd in range(64) if os.path.exists(f'/proc/self/fd/{fd}')]",
  ),
  hostile("climbs out by its root", raises, "os.listdir('/proc/1/root/root')"),
  hostile("climbs out by its working folder", raises, "os.listdir('/proc/1/cwd/../root')"),
  hostile("looks for a scratch folder", raises, "os.listdir('/tmp')"),
]

const writing: ReadonlyArray<Hostile> = [
  hostile("writes into the root folder", raises, "open('/x', 'w')"),
  hostile("writes into the system", raises, "open('/usr/lib/x', 'w')"),
  hostile("writes into python's own folder", raises, "open(os.__file__, 'a')"),
  hostile("writes into /dev", raises, "open('/dev/x', 'w')"),
  hostile("writes into /proc/sys", raises, "os.write(os.open('/proc/sys/kernel/hostname', os.O_WRONLY), b'x')"),
  hostile("sets off a kernel request", raises, "os.write(os.open('/proc/sysrq-trigger', os.O_WRONLY), b'b')"),
  hostile(
    "makes itself the last to be killed",
    raises,
    "os.write(os.open('/proc/self/oom_score_adj', os.O_WRONLY), b'-1000')",
  ),
  hostile("writes into a temporary folder", raises, "open('/tmp/x', 'w')"),
  hostile("writes a temporary file", raises, "tempfile.NamedTemporaryFile()", "import tempfile"),
  hostile("writes into the shared memory", raises, "open('/dev/shm/x', 'w')"),
  hostile("makes a folder", raises, "os.mkdir('/x')"),
  hostile("makes a device of its own", raises, "os.mknod('/disk', 0o060666, os.makedev(254, 0))"),
  hostile("makes a file its own", raises, "os.chown(os.__file__, 65534, 65534)"),
  hostile("makes a file writable for all users", raises, "os.chmod(os.__file__, 0o777)"),
]

const kernel: ReadonlyArray<Hostile> = [
  hostile(
    "takes System V memory, which no limit counts",
    notPermitted,
    errnoAfter("libc.shmget(0, 1 << 30, 0o1600)"),
    libc,
  ),
  hostile("takes memory as a file", raises, "os.memfd_create('x')"),
  hostile("makes a message queue", notPermitted, errnoAfter("libc.msgget(0, 0o1600)"), libc),
  hostile("enters a user namespace of its own", gives(true), "return libc.unshare(0x10000000) == -1", libc),
  hostile("enters a mount namespace of its own", gives(true), "return libc.unshare(0x00020000) == -1", libc),
  hostile(
    "makes a child in a user namespace",
    gives(true),
    "return libc.syscall(56 if os.uname().machine == 'x86_64' else 220, 0x10000000 | 17, 0, 0, 0, 0) == -1",
    libc,
  ),
  hostile("mounts", notPermitted, errnoAfter("libc.mount(b'none', b'/proc', b'tmpfs', 0, None)"), libc),
  hostile("changes its root", notPermitted, errnoAfter("libc.chroot(b'/proc')"), libc),
  hostile("traces a process", notPermitted, errnoAfter("libc.ptrace(16, 1, 0, 0)"), libc),
  hostile(
    "loads a program into the kernel",
    gives(true),
    "return libc.syscall(321 if os.uname().machine == 'x86_64' else 280, 0, 0, 0) == -1",
    libc,
  ),
  hostile(
    "asks for io_uring",
    gives(true),
    "return libc.syscall(425, 8, ctypes.create_string_buffer(200)) == -1",
    libc,
  ),
  hostile(
    "looks into the keyring",
    gives(true),
    "return libc.syscall(250 if os.uname().machine == 'x86_64' else 219, 0, -3, 0) == -1",
    libc,
  ),
  hostile("becomes root", raises, "os.setuid(0)"),
  hostile("sets the clock", raises, "time.clock_settime(time.CLOCK_REALTIME, 0)", "import time"),
  hostile("raises its own limits", raises, "resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))", "import resource"),
  hostile("raises its priority", raises, "os.nice(-20)"),
  hostile("reboots", gives(true), "return libc.reboot(0x01234567) == -1", libc),
]

const taking: ReadonlyArray<Hostile> = [
  hostile("never ends", outOfTime, "while True: pass"),
  hostile("sleeps for ever", outOfTime, "time.sleep(10**6)", "import time"),
  hostile(
    "ignores every signal",
    outOfTime,
    "for n in range(1, 65):\n  try: signal.signal(n, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: pass",
    "import signal",
  ),
  hostile(
    "catches whatever is thrown at it",
    outOfTime,
    "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
  ),
  hostile("takes all memory", outOfMemory, "x = []\nwhile True: x.append(bytearray(10**7))"),
  hostile("asks for more memory than there is", outOfMemory, "return len(bytearray(10**12))"),
  hostile("multiplies texts", outOfMemory, "x = 'x'\nwhile True: x += x"),
  hostile("computes a number without end", outOfTime, "return len(str(9 ** 9 ** 9 % 10 ** 9))"),
  hostile("matches a regular expression without end", outOfTime, "re.match('(a+)+$', 'a' * 64 + 'b')", "import re"),
  hostile("forks without end", raises, "while True: os.fork()"),
  hostile(
    "starts threads without end",
    raises,
    "for n in range(100): threading.Thread(target=time.sleep, args=(30,)).start()",
    "import threading, time",
  ),
  hostile("leaves a process behind", raises, "subprocess.Popen(['/bin/sleep', '1000'])", "import subprocess"),
  hostile("opens files without end", raises, "x = [open('/dev/null') for n in range(10**5)]"),
  hostile("recurses without end", raises, "return tool(arguments, context)"),
  hostile("prints without end", fails("output_too_large"), "while True: print('x' * 1000)"),
  hostile("prints past its own stdout", fails("output_too_large"), "while True: os.write(1, b'x' * 65536)"),
  hostile(
    "prints errors without end",
    fails("output_too_large"),
    "while True: print('x' * 1000, file=sys.stderr)",
    "import sys",
  ),
]

const answering: ReadonlyArray<Hostile> = [
  hostile("returns what JSON cannot hold", fails("result_not_json"), "return {1, 2}"),
  hostile("returns a number that is none", fails("result_not_json"), "return float('nan')"),
  hostile("returns itself", fails("result_not_json"), "x = []\nx.append(x)\nreturn x"),
  hostile("returns more than fits", fails("result_too_large"), "return 'x' * 2_000_000"),
  hostile(
    "writes an answer of its own without end",
    fails("result_too_large"),
    "while True: os.write(3, b'x' * 65536)",
  ),
  hostile("writes an answer that is none", died, "os.write(3, b'{\"result\":')\nos._exit(0)"),
  hostile("closes the way of its answer", died, "os.close(3)\nreturn 1"),
  hostile("leaves without a word", died, "os._exit(0)"),
  hostile("kills itself", died, "os.kill(os.getpid(), 9)"),
  hostile("kills every process but itself", raises, "os.kill(-1, 9)"),
  hostile("crashes python", died, "ctypes.string_at(0)", "import ctypes"),
  hostile("exits", raises, "raise SystemExit(0)"),
  hostile(
    "throws what cannot be shown",
    raises,
    "class E(Exception):\n  def __str__(self): raise ValueError()\nraise E()",
  ),
  hostile("answers twice by a copy of itself", gives("once"), "if os.fork() != 0: os.wait()\nreturn 'once'"),
]

export const snippets: ReadonlyArray<Hostile> = [...network, ...secrets, ...writing, ...kernel, ...taking, ...answering]

/** There is no machine to look at: no ctypes, no /proc of other processes, an empty file system, 32 bits. */
export const onWebAssembly: ReadonlyMap<string, Ends> = new Map<string, Ends>([
  ...snippets.filter(({ imports }) => imports === libc).map(({ name }) => [name, raises] as const),
  ["reads its environment", gives(["LC_ALL"])],
  ["reads the environment of the first process", raises],
  ["reads its parent's environment", raises],
  ["reads the homes", gives(null)],
  [
    "reads the devices",
    gives([
      ...["answer", "console", "null", "random", "shm", "sleep", "stderr", "stdin", "stdout"],
      ...["tty", "tty1", "urandom", "zone"],
    ]),
  ],
  ["climbs out by a descriptor left open", gives([])],
  ["looks for a scratch folder", gives(null)],
  ["asks for more memory than there is", raises],
  // CPython itself fails there when it cannot grow a text in place.
  ["multiplies texts", died],
  ["opens files without end", outOfMemory],
  ["writes an answer of its own without end", raises],
  ["writes an answer that is none", raises],
  ["crashes python", raises],
  ["answers twice by a copy of itself", raises],
])
