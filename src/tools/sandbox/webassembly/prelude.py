# Runs after tool.py, once, before the snapshot is taken: replaces what needs JavaScript or threads. What is hidden here
# only spares a tool the end of its process; the import gate is what holds (ImportGate.ts).
import asyncio.base_events, asyncio.events, base64, bisect, calendar, copy, csv, dataclasses, enum, fractions, hashlib
import heapq, html, io, operator, struct, textwrap, typing, unicodedata, urllib.parse, uuid
import zoneinfo._common, zoneinfo._tzpath

BRIDGES = ("js", "pyodide", "_pyodide", "pyodide_js", "_pyodide_core", "ctypes", "_ctypes", "micropip")


def ask(device, request):
    """Writes to a device of the interpreter and reads what it answers."""
    descriptor = os.open(device, os.O_RDWR)
    try:
        os.write(descriptor, request)
        parts = []
        while part := os.read(descriptor, 65536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def sleep(seconds, /):
    """time.sleep of this platform keeps a processor busy."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    ask("/dev/sleep", struct.pack("d", seconds))


def load_zone(key):
    data = ask("/dev/zone", str(key).encode())
    if not data:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(data)


def available_zones():
    return set(ask("/dev/zone", b"*").decode().split())


class Sleeper:
    """In place of a selector: there are no sockets, so a loop only waits for its timers."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("the event loop waits for nothing: no timer is set, and there are no sockets or threads")
        if timeout > 0:
            time.sleep(timeout)
        return []

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Sleeper()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


def run_coroutine(main, *, debug=None, loop_factory=None):
    with asyncio.Runner(debug=debug, loop_factory=loop_factory or Loop) as runner:
        return runner.run(main)


time.sleep = sleep
zoneinfo._common.load_tzdata = load_zone
zoneinfo._tzpath.available_timezones = zoneinfo.available_timezones = available_zones
asyncio.run = asyncio.runners.run = run_coroutine
asyncio.events._set_event_loop_policy(Policy())
asyncio.events._set_running_loop(None)
asyncio.new_event_loop = asyncio.events.new_event_loop = Loop


def main():
    # Emscripten's and Pyodide's own.
    for name in set(os.environ) - {"LC_ALL"}:
        del os.environ[name]
    for name in [*sys.modules, *BRIDGES]:
        if name.split(".")[0] in BRIDGES:
            sys.modules[name] = None
    foreign = ("Js", "Windows", "UnvendoredStdlib")
    sys.meta_path[:] = [finder for finder in sys.meta_path if not any(word in type(finder).__name__ for word in foreign)]
    with open("/job.json") as file:
        text = answer(json.load(file))
    flush()
    write(os.open("/dev/answer", os.O_WRONLY), text)
