# Runs one tool's code and words its answer. Both sandboxes load this file before their own; nothing here isolates.
import ast, asyncio, inspect, json, linecache, os, sys, traceback

# What tools use most, imported before there is a job.
import collections, datetime, decimal, functools, itertools, math, random, re, statistics, string, time, zoneinfo

MEBIBYTE = 1024 * 1024
LARGEST_RESULT = MEBIBYTE


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


def answer(job):
    try:
        return '{"result":' + run(job) + "}"
    except Failure as failure:
        return json.dumps({"error": {"code": failure.code, "message": str(failure)}})
    except MemoryError:
        return '{"error":{"code":"memory_limit","message":"The result needed more memory than a tool may have (256 MiB)"}}'


def flush():
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        pass


def write(descriptor, text):
    data = text.encode()
    while data:
        data = data[os.write(descriptor, data) :]
