/**
 * Tools that look for a way from Python on WebAssembly to JavaScript, to Node and to the machine, or that break Python
 * from inside. PORT is a listener on loopback, FOLDER one of the machine with a file `secret` in it.
 */

type Attack = readonly [name: string, body: string]

/** A tool cannot import what is set to None in `sys.modules`; this undoes it. */
const revive = "for n in list(sys.modules):\n  if sys.modules[n] is None: del sys.modules[n]\n"

/** Each raises an error or gives a result that is of no use, so that many of them share a process. */
export const together: ReadonlyArray<Attack> = [
  ["import js", "import js\nreturn dir(js)"],
  ["import pyodide_js", "import pyodide_js\nreturn 1"],
  [
    "del sys.modules then import pyodide.code.run_js",
    "REVIVEfrom pyodide.code import run_js\nreturn str(run_js('1+1'))",
  ],
  ["del sys.modules, _pyodide_core", "REVIVEimport _pyodide_core\nreturn dir(_pyodide_core)"],
  [
    "BuiltinImporter _pyodide_core",
    "del sys.modules['_pyodide_core']\nm=importlib.machinery.BuiltinImporter\nreturn str(m.find_spec('_pyodide_core'))",
  ],
  [
    "gc finds JsProxy",
    "P=[o for o in gc.get_objects() if 'JsProxy' in type(o).__name__ or 'JsProxy' in repr(type(o).__mro__)]\nreturn [len(P), str([type(o).__name__ for o in P])[:200]]",
  ],
  [
    "gc JsProxy constructor chain",
    "P=[o for o in gc.get_objects() if 'JsProxy' in type(o).__name__ or 'JsProxy' in repr(type(o).__mro__)]\np=P[0]\nreturn str(p.constructor.constructor('return process')())",
  ],
  [
    "gc any module pyodide",
    "M=[o for o in gc.get_objects() if type(o).__name__=='module' and 'yodide' in repr(o)]\nreturn [repr(m) for m in M][:20]",
  ],
  [
    "gc pyodide module → run_js",
    "M=[o for o in gc.get_objects() if type(o) is dict and 'run_js' in o]\nreturn [str(M[0]['run_js']('1'))]",
  ],
  [
    "gc _pyodide._base eval → to_js",
    "M=[o for o in gc.get_objects() if type(o) is dict and 'to_js' in o]\nf=M[0]['to_js']\nreturn str(f([1]))",
  ],
  [
    "gc create_proxy",
    "M=[o for o in gc.get_objects() if type(o) is dict and 'create_proxy' in o]\nreturn str(M[0]['create_proxy'](lambda: 1))",
  ],
  [
    "gc create_once_callable",
    "M=[o for o in gc.get_objects() if type(o) is dict and 'create_once_callable' in o]\nreturn str(M[0]['create_once_callable'](lambda: 1))",
  ],
  [
    "gc run_sync",
    "M=[o for o in gc.get_objects() if type(o) is dict and 'run_sync' in o]\nreturn str(M[0]['run_sync'](None))",
  ],
  [
    "gc JsFinder",
    "F=[o for o in gc.get_objects() if type(o).__name__=='JsFinder']\nreturn [str(list(f.jsproxies)) for f in F]",
  ],
  [
    "JsProxy compare/hash/str/iter",
    "F=[o for o in gc.get_objects() if type(o).__name__=='JsFinder'][0]\np=F.jsproxies['js']\nreturn [hash(p), p==p]",
  ],
  [
    "JsException construct",
    "C=[o for o in gc.get_objects() if isinstance(o,type) and o.__name__=='JsException']\nreturn str(C[0]('x'))",
  ],
  [
    "class walk __subclasses__",
    "return [c.__module__+'.'+c.__name__ for c in object.__subclasses__() if 'Js' in c.__name__ or 'yodide' in c.__module__]",
  ],
  ["os.system", "return os.system('id > FOLDER/made')"],
  [
    "pickle os.system",
    "class E:\n  def __reduce__(self): return (os.system, ('id > FOLDER/made',))\nimport pickle\nreturn pickle.loads(pickle.dumps(E()))",
  ],
  ["os.popen", "return os.popen('id').read()"],
  ["execv", "os.execv('/bin/sh',['sh','-c','id > FOLDER/made'])"],
  ["posix_spawn", "return os.posix_spawn('/bin/sh',['sh'],{})"],
  ["multiprocessing", "import multiprocessing\np=multiprocessing.Process(target=print); p.start()"],
  [
    "thread pool",
    "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as e: return e.submit(pow,2,3).result()",
  ],
  [
    "_interpreters",
    "import _interpreters\ni=_interpreters.create()\nreturn str(_interpreters.exec(i,'import os; os.system(\"id > FOLDER/made\")'))",
  ],
  ["subinterpreter imports js", "import concurrent.interpreters as ci\ni=ci.create(); return str(i.exec('import js'))"],
  [
    "pyfetch",
    "REVIVEfrom pyodide.http import pyfetch\nimport asyncio\nreturn str(asyncio.run(pyfetch('http://127.0.0.1:PORT/')))",
  ],
  ["open_url", "REVIVEfrom pyodide.http import open_url\nreturn str(open_url('http://127.0.0.1:PORT/'))"],
  ["webloop setTimeout", "REVIVEfrom pyodide.webloop import WebLoop\nl=WebLoop(); l.call_soon(print,1); return 1"],
  ["nodesock", "REVIVEimport pyodide._nodesock_transport as t\nreturn dir(t)"],
  ["tcp 18999", "import socket\ns=socket.create_connection(('127.0.0.1',PORT),2); return 1"],
  ["tcp raw _socket", "import _socket\ns=_socket.socket(2,1,0); s.connect(('127.0.0.1',PORT)); return 1"],
  ["udp", "import socket\ns=socket.socket(2,2); s.sendto(b'x',('127.0.0.1',PORT))"],
  ["asyncio open_connection", "import asyncio\nreturn str(asyncio.run(asyncio.open_connection('127.0.0.1',PORT)))"],
  ["socketpair", "import socket\nreturn str(socket.socketpair())"],
  ["ssl", "import ssl\nreturn ssl.OPENSSL_VERSION"],
  ["env", "return dict(os.environ)"],
  ["list /", "return {p: os.listdir(p) for p in ('/','/home','/dev','/proc','/proc/self','/tmp')}"],
  ["proc self fd", "return [os.listdir('/proc/self/fd'), os.readlink('/proc/self/fd/0')]"],
  ["read host pyodide dir", "return open('FOLDER/secret').read()[:20]"],
  ["path tricks", "return open('/proc/self/../../../FOLDER/secret').read()"],
  ["write file", "open('FOLDER/x','w').write('x')"],
  ["write file fdopen creat", "return os.open('FOLDER/x', os.O_RDONLY|os.O_CREAT)"],
  ["write by rw open existing", "f=open('/job.json','r+b'); f.write(b'x'); return 1"],
  ["open /dev/null for write", "open('/dev/null','w').write('x'*100); return 1"],
  ["mmap", "import mmap\nreturn len(mmap.mmap(-1, 10**6))"],
  ["settrace", "sys.settrace(lambda *a: None)\nreturn 1"],
  ["ast crash", "return eval('-'*10**5+'1')"],
  ["faulthandler null", "import faulthandler\nfaulthandler._read_null()"],
  ["signal alarm", "import signal\nsignal.alarm(1)\nwhile True: pass"],
  [
    "atexit / __del__ after end",
    "import atexit\natexit.register(lambda: os.system('id > FOLDER/made'))\nclass D:\n  def __del__(self): os.system('id > FOLDER/made')\nsys.d=D()\nreturn 1",
  ],
  [
    "weakref finalize",
    "import weakref\nclass A: pass\na=A(); weakref.finalize(a, os.system, 'id > FOLDER/made'); del a\nreturn 1",
  ],
  ["sys.remote_exec", "sys.remote_exec(os.getpid(),'/x')"],
  ["sqlite", "import sqlite3\nc=sqlite3.connect(':memory:'); return c.execute('select 1').fetchone()"],
  [
    "sqlite load_extension",
    "import sqlite3\nc=sqlite3.connect(':memory:'); c.enable_load_extension(True); c.load_extension('/x')",
  ],
  ["sqlite file", "import sqlite3\nsqlite3.connect('FOLDER/x.db').execute('create table t(a)')"],
  [
    "_imp create_dynamic",
    "import _imp\nfrom importlib.machinery import ModuleSpec\nreturn str(_imp.create_dynamic(ModuleSpec('x',None,origin='/job.json')))",
  ],
  ["_testinternalcapi", "import _testinternalcapi"],
  ["webbrowser", "import webbrowser\nreturn webbrowser.open('http://127.0.0.1:PORT/')"],
  ["input/stdin", "return sys.stdin.read()[:10] + input()"],
  ["fcntl/ioctl/termios", "import fcntl,termios\nreturn str(fcntl.ioctl(0, termios.TIOCGWINSZ, b'x'*8))"],
  ["sys.path/zipimport host", "sys.path.insert(0,'/etc'); import hosts"],
  ["to_thread", "import asyncio\nreturn asyncio.run(asyncio.to_thread(pow,2,3))"],
  ["core.run_sync", "REVIVEimport _pyodide_core as C\nreturn str(C.run_sync(1))"],
  ["core.promise", "REVIVEimport _pyodide_core as C\nreturn str(C.create_promise_converter)"],
  ["core.js2py", "REVIVEimport _pyodide_core as C\nreturn str(C.js2py_deep)"],
  ["core.destroy", "REVIVEimport _pyodide_core as C\nreturn str(C.destroy_proxies([]))"],
  ["core.can", "REVIVEimport _pyodide_core as C\nreturn str(C.can_run_sync())"],
  ["core.proxy_new", "REVIVEimport _pyodide_core as C\nreturn str(object.__new__(C.JsException))"],
  [
    "core.jsproxycls",
    "REVIVEimport _pyodide_core as C\nJ=[c for c in object.__subclasses__() if c.__name__=='JsProxy'][0]\nreturn str(J.__new__(J))",
  ],
  [
    "core.jsproxysub",
    "REVIVEimport _pyodide_core as C\nM=[o for o in gc.get_objects() if type(o).__name__=='_JsProxyMetaClass']\nr=[]\nfor m in M:\n  try: r.append(str(m.__new__(m)))\n  except BaseException as e: r.append(type(e).__name__+str(e)[:30])\nreturn r",
  ],
  [
    "core.jsproxytp",
    "REVIVEimport _pyodide_core as C\nF=[o for o in gc.get_objects() if type(o).__name__=='JsFinder'][0]\np=F.jsproxies['js']\nT=type(p)\nreturn str(T.__call__)",
  ],
  ["core.jsnullattr", "REVIVEimport _pyodide_core as C\nreturn [str(C.jsnull)]"],
  ["exit code", "sys.exit(3)"],
  [
    "loop.run_in_executor",
    "import asyncio\nasync def m(): return await asyncio.get_running_loop().run_in_executor(None, pow, 2, 3)\nreturn asyncio.run(m())",
  ],
  [
    "F_SETFL on a file opened to be read",
    "f=os.open('/job.json',os.O_RDONLY)\nimport fcntl\nfcntl.fcntl(f,fcntl.F_SETFL,os.O_RDWR)\nreturn os.write(f,b'x'*10**6)",
  ],
  [
    "pwrite and writev",
    "f=os.open('/job.json',os.O_RDONLY)\nr=[]\nfor w in (lambda: os.pwrite(f,b'x',0), lambda: os.writev(f,[b'x'])):\n  try: r.append(w())\n  except OSError as e: r.append(e.errno)\nreturn r",
  ],
  ["answer by another path", "return os.open('/dev/../dev/answer',os.O_WRONLY)"],
  ["answer by a relative path", "os.chdir('/dev')\nreturn os.open('answer',os.O_WRONLY)"],
  ["a link to a device", "os.symlink('/job.json','/dev/link')\nreturn open('/dev/link','wb')"],
  ["a device made anew", "os.mknod('/dev/mine',0o020666,os.makedev(77,0))"],
  ["the standard library's archive", "return open('/lib/python314.zip','r+b').write(b'x')"],
  ["the library's archive truncated", "os.truncate('/lib/python314.zip',0)"],
  [
    "a shared mapping of a file",
    "import mmap\nf=os.open('/lib/python314.zip',os.O_RDONLY)\nm=mmap.mmap(f,100,mmap.MAP_SHARED,mmap.PROT_WRITE)\nm[0]=1",
  ],
  [
    "shared memory",
    "from multiprocessing import shared_memory\nreturn shared_memory.SharedMemory(create=True,size=10**8).name",
  ],
  ["zone: a path", "d=os.open('/dev/zone',os.O_RDWR)\nos.write(d,b'../../../FOLDER/secret')\nreturn os.read(d,1000)"],
  ["zone: a megabyte", "d=os.open('/dev/zone',os.O_RDWR)\nos.write(d,b'A'*10**6)\nreturn os.read(d,1000)"],
  ["zone: no text", "d=os.open('/dev/zone',os.O_RDWR)\nos.write(d,bytes(range(256)))\nreturn os.read(d,1000)"],
  ["zone: a locale", "d=os.open('/dev/zone',os.O_RDWR)\nos.write(d,b'constructor')\nreturn os.read(d,1000)"],
  ["zone: read before a question", "d=os.open('/dev/zone',os.O_RDWR)\nreturn os.read(d,10**7)"],
  [
    "sleep: not a number",
    "d=os.open('/dev/sleep',os.O_RDWR)\nimport struct\nreturn os.write(d,struct.pack('d',float('nan')))",
  ],
  [
    "sleep: below zero",
    "d=os.open('/dev/sleep',os.O_RDWR)\nimport struct\nreturn os.write(d,struct.pack('d',float('-inf')))",
  ],
  ["sleep: three bytes", "d=os.open('/dev/sleep',os.O_RDWR)\nreturn os.write(d,b'abc')"],
  ["seek in a device", "d=os.open('/dev/answer',os.O_RDWR)\nreturn [os.lseek(d,10**9,0), os.read(d,10)]"],
  ["the terminal", "return open('/dev/tty').read(10)"],
  [
    "Python's own limits",
    "import __main__\n__main__.LARGEST_RESULT=10**9\n__main__.LARGEST_RESULT=1024*1024\nreturn 1",
  ],
  [
    "frames of the interpreter",
    "f=sys._getframe()\nr=[]\nwhile f: r.append([f.f_code.co_name, sorted(f.f_locals)[:9]]); f=f.f_back\nreturn r",
  ],
  ["a trace of the interpreter's frames", "f=sys._getframe()\nwhile f: f.f_trace=print; f=f.f_back\nreturn 1"],
  [
    "builtin _ctypes by its loader",
    "import _imp\nfrom importlib.machinery import BuiltinImporter, ModuleSpec\nreturn str(BuiltinImporter.find_spec('_ctypes'))",
  ],
  [
    "a module of zeros",
    "import marshal\nr=[]\nfor b in (b'\\xe3'+b'\\0'*40, b'c'*99, b'\\xfb'*50, b'('*10**5):\n  try: r.append(repr(marshal.loads(b)))\n  except Exception as e: r.append(repr(e))\nreturn r",
  ],
  ["pickled functions of the bridge", "import pickle\nreturn pickle.loads(b'c_pyodide_core\\nto_js\\n(I1\\ntR.')"],
  ["pickled run_js", "import pickle\nreturn pickle.loads(b\"cpyodide.code\\nrun_js\\n(S'1'\\ntR.\")"],
  [
    "sqlite: a file attached",
    "import sqlite3\nc=sqlite3.connect(':memory:')\nc.execute(\"attach 'FOLDER/made.db' as x\")\nc.execute('create table x.t(a)')",
  ],
  [
    "sqlite: vacuum into a device",
    "import sqlite3\nc=sqlite3.connect(':memory:')\nc.execute('create table t(a)')\nc.execute(\"vacuum into '/dev/answer'\")",
  ],
  [
    "sqlite: more than there is",
    "import sqlite3\nreturn len(sqlite3.connect(':memory:').execute('select zeroblob(900000000)').fetchone()[0])",
  ],
  ["a bomb of zlib", "import zlib\nreturn len(zlib.decompress(zlib.compress(bytes(10**7))*1))"],
  [
    "a bomb of XML",
    "import xml.etree.ElementTree as E\nd=''.join(f'<!ENTITY l{i+1} \"'+f'&l{i};'*10+'\">' for i in range(9))\nreturn E.fromstring('<!DOCTYPE x [<!ENTITY l0 \"ha\">'+d+']><x>&l9;</x>').text[:9]",
  ],
  ["a buffer resized under a view", "b=bytearray(10)\nv=memoryview(b)\nb.extend(b'x'*10**6)"],
  [
    "a list that changes while it is sorted",
    "x=[]\nclass K:\n  def __lt__(a,b): x.clear(); gc.collect(); return True\nx.extend(K() for n in range(100))\nx.sort()\nreturn len(x)",
  ],
  [
    "an environment of a megabyte",
    "os.environ['X']='y'*10**6\nos.environ['TZ']='Z'*10**5\nimport time\ntime.tzset()\nreturn len(os.environ['X'])",
  ],
  ["locales", "import locale\nreturn locale.setlocale(locale.LC_ALL,'../../FOLDER/secret')"],
  ["poll without end", "import select\nreturn select.select([],[],[],0.1)"],
  [
    "an event loop that waits for nothing",
    "import asyncio\nasync def m(): await asyncio.get_running_loop().create_future()\nasyncio.run(m())",
  ],
  ["numbers of a million digits", "return len(str(int('9'*10**6)))"],
  ["the name of the user", "import getpass\nreturn getpass.getuser()"],
  ["the host", "import socket,platform\nreturn [socket.gethostname(), platform.node(), platform.platform()]"],
]

/** Each may end its process. */
export const alone: ReadonlyArray<Attack> = [
  ["dup2 of a file over stdout", "f=os.open('/job.json',os.O_RDONLY)\nos.dup2(f,1)\nreturn os.write(1,b'x')"],
  ["tcp fileno reuse", "import _socket\ns=_socket.socket(2,1,0,3); return str(s)"],
  [
    "gc JsFinder js proxies attr",
    "F=[o for o in gc.get_objects() if type(o).__name__=='JsFinder'][0]\nreturn str(F.jsproxies['pyodide_js'].FS)",
  ],
  [
    "gc JsFinder dir",
    "F=[o for o in gc.get_objects() if type(o).__name__=='JsFinder'][0]\nreturn dir(F.jsproxies['pyodide_js'])",
  ],
  [
    "JsProxy dealloc",
    "F=[o for o in gc.get_objects() if type(o).__name__=='JsFinder'][0]\nF.jsproxies.clear()\ngc.collect()\nreturn 1",
  ],
  [
    "_ctypes by BuiltinImporter",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nl=ctypes.CDLL(None)\nreturn l.emscripten_run_script(b'globalThis.x=1')",
  ],
  [
    "ctypes system",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nreturn ctypes.CDLL(None).system(b'id > FOLDER/made')",
  ],
  [
    "ctypes pythonapi",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nreturn ctypes.pythonapi.PyLong_FromLong(3)",
  ],
  [
    "ctypes raw function pointers (table walk)",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nF=ctypes.CFUNCTYPE(ctypes.c_int)\nreturn F(1)()",
  ],
  [
    "ctypes memory read",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nreturn len(ctypes.string_at(1024,64))",
  ],
  [
    "ctypes memory write wild",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nctypes.memset(0,65,10**7)\nreturn 1",
  ],
  [
    "ctypes callback closure",
    "del sys.modules['_ctypes'];del sys.modules['ctypes']\nimport ctypes\nF=ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 5)\nreturn F()",
  ],
  ["forge /dev/answer", "f=os.open('/dev/answer',os.O_WRONLY); os.write(f,b'{\"result\":\"forged\"}'); os._exit(0)"],
  ["MEMFS memory bomb", "f=open('/dev/shm/x','wb')\nwhile True: f.write(b'x'*10**7)"],
  [
    "memory to the last",
    "x=[]\ntry:\n  while True: x.append(bytearray(10**6))\nexcept MemoryError: n=len(x); x=None\nreturn n",
  ],
  ["sys.setrecursionlimit deep", "sys.setrecursionlimit(10**9)\ndef f(n): return f(n+1)\nf(0)"],
  ["C recursion repr", "x=[]\nfor i in range(10**6): x=[x]\nreturn len(repr(x))"],
  ["C recursion json", "import json\nreturn json.loads('['*10**6)"],
  ["compile deep", "return eval('('*10**5+')'*10**5)"],
  ["bytecode garbage", "def f(): pass\nf.__code__=f.__code__.replace(co_code=bytes([83,255]*40))\nreturn str(f())"],
  [
    "bytecode OOB locals",
    "def f(): return 1\nimport dis\nfor op in range(1,250):\n  try:\n    f.__code__=f.__code__.replace(co_code=bytes([dis.opmap['RESUME'],0,dis.opmap['LOAD_FAST'],200,dis.opmap['RETURN_VALUE'],0])); return str(type(f()))\n  except Exception as e: return repr(e)",
  ],
  ["raise_signal", "import signal\nsignal.raise_signal(signal.SIGKILL)"],
  ["core.create_proxy", "REVIVEimport _pyodide_core as C\nreturn str(C.create_proxy(lambda: 1))"],
  ["core.once", "REVIVEimport _pyodide_core as C\nreturn str(C.create_once_callable(lambda: 1))"],
  ["core.to_js", "REVIVEimport _pyodide_core as C\nreturn str(C.to_js([1,{2:3}]))"],
  ["core.jsexc", "REVIVEimport _pyodide_core as C\nraise C.JsException('a')"],
  [
    "core.all_functions",
    "REVIVEimport _pyodide_core as C\nr={}\nfor n in dir(C):\n  f=getattr(C,n)\n  if callable(f) and n not in ('to_js','create_proxy','JsException'):\n    try: r[n]=str(f(1))[:30]\n    except BaseException as e: r[n]=type(e).__name__\nreturn r",
  ],
  [
    "wild write via bytecode: fake bytearray over all memory",
    "\nimport struct\n# LOAD_FAST past the frame gives whatever lies on the stack: type confusion\nimport dis\nout=[]\nfor i in range(1, 60):\n  def f(): return 1\n  f.__code__=f.__code__.replace(co_code=bytes([dis.opmap['RESUME'],0,dis.opmap['LOAD_FAST'],i,dis.opmap['RETURN_VALUE'],0]))\n  try: out.append(type(f()).__name__)\n  except BaseException as e: out.append(repr(e)[:20])\nreturn out",
  ],
  [
    "LOAD_CONST out of range",
    "def f(): return 1\nimport dis\nf.__code__=f.__code__.replace(co_code=bytes([dis.opmap['RESUME'],0,dis.opmap['LOAD_CONST'],250,dis.opmap['RETURN_VALUE'],0]))\nreturn str(f())",
  ],
  [
    "_ctypes loaded as a builtin",
    "REVIVEimport _imp\nfrom importlib.machinery import ModuleSpec, BuiltinImporter\nm=_imp.create_builtin(ModuleSpec('_ctypes',BuiltinImporter,origin='built-in'))\n_imp.exec_builtin(m)\nreturn m.dlopen(None,0)",
  ],
  [
    "the bridge loaded as a builtin",
    "import _imp\nfrom importlib.machinery import ModuleSpec, BuiltinImporter\nm=_imp.create_builtin(ModuleSpec('_pyodide_core',BuiltinImporter,origin='built-in'))\n_imp.exec_builtin(m)\nreturn m.to_js([1])",
  ],
  [
    "an answer without end by the interpreter's own hand",
    "import __main__\nwhile True: __main__.write(os.open('/dev/answer',os.O_WRONLY),'x'*65536)",
  ],
  ["an answer that is none", "import __main__\n__main__.answer=lambda job: '{'\nreturn 1"],
  [
    "every opcode there is",
    "def f(): return 1\nimport random\nrandom.seed(1)\nfor n in range(2000):\n  f.__code__=f.__code__.replace(co_code=bytes([128,0])+bytes(random.choices(range(256),k=8))+f.__code__.co_code,co_stacksize=1)\n  try: f()\n  except Exception: pass",
  ],
  [
    "a code object with no stack",
    "def f(): return [1,2,3,[4,5,[6]]]\nf.__code__=f.__code__.replace(co_stacksize=0,co_nlocals=0)\nreturn [f() for n in range(1000)]",
  ],
  ["_pyodide's signals", "import signal\nsignal.raise_signal(signal.SIGTERM)"],
]

/** `attack` as the body of a function of no parameters. */
export const functionOf = (body: string, port: number, folder: string) => {
  const code = body.replace("REVIVE", revive).replaceAll("PORT", `${port}`).replaceAll("FOLDER", folder)
  return `import sys, os, gc, importlib\ndef attack():\n${code.replace(/^/gmu, "  ")}\n`
}
