# Runs one tool, once, inside the sandbox: a job comes on stdin, its result goes to descriptor 3, what it prints to
# stdout and stderr. Nothing here keeps anybody out; that is bubblewrap's part (Bubblewrap.ts).
import ast, asyncio, inspect, json, linecache, os, resource, sys, traceback

# What tools use most, so that it is there before the job is.
import collections, datetime, decimal, functools, itertools, math, random, re, statistics, string, time, zoneinfo

MEBIBYTE = 1024 * 1024
LARGEST_RESULT = MEBIBYTE
LIMITS = {
    resource.RLIMIT_AS: 256 * MEBIBYTE,
    # Seconds of processor time: a little more than the longest invocation, should nobody be left to end it.
    resource.RLIMIT_CPU: 12,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_NOFILE: 64,
    # Threads count, and bubblewrap's own two.
    resource.RLIMIT_NPROC: 8,
    resource.RLIMIT_CORE: 0,
}


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def said(error):
    try:
        text = f"{type(error).__name__}: {error}"
    except BaseException:
        text = type(error).__name__
    return text.encode("utf-8", "replace").decode()[:500]


def run(job):
    source = job["code"]
    linecache.cache["tool.py"] = (len(source), None, source.splitlines(True), "tool.py")
    try:
        tree = ast.parse(source, "tool.py")
        code = compile(tree, "tool.py", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Failure("invalid_code", said(error)) from None
    names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    scope = {"__name__": "tool", "__builtins__": __builtins__}
    try:
        exec(code, scope)
        result = scope[names[-1]](job["arguments"], job["context"])
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
    except MemoryError:
        raise Failure("memory_limit", "The tool needed more memory than a tool may have (256 MiB)") from None
    except BaseException as error:
        # From the tool's own first line on.
        own = error.__traceback__
        while own is not None and own.tb_frame.f_code.co_filename != "tool.py":
            own = own.tb_next
        traceback.print_exception(type(error), error, own, limit=20)
        raise Failure("tool_error", said(error)) from None
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Failure("result_not_json", f"The tool returned what JSON cannot hold: {said(error)}") from None
    if len(text) > LARGEST_RESULT:
        raise Failure("result_too_large", f"The tool returned more than {LARGEST_RESULT} bytes")
    return text


def main():
    process = os.getpid()
    os.nice(10)
    for limit, most in LIMITS.items():
        resource.setrlimit(limit, (most, most))
    os.write(3, b"ready\n")
    job = json.loads(sys.stdin.buffer.read())
    try:
        answer = '{"result":' + run(job) + "}"
    except Failure as failure:
        answer = json.dumps({"error": {"code": failure.code, "message": str(failure)}})
    except MemoryError:
        answer = '{"error":{"code":"memory_limit","message":"The result needed more memory than a tool may have (256 MiB)"}}'
    # A copy that the tool made of itself has no word in this.
    if os.getpid() != process:
        os._exit(0)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        pass
    data = answer.encode()
    while data:
        data = data[os.write(3, data) :]
    os._exit(0)


main()
