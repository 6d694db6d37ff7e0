import { assert, describe, it } from "@effect/vitest"
import { faultOf as faultWithin } from "../../src/catalog/PythonSource.ts"
import { Budget } from "../../src/offload/Budget.ts"

const faultOf = (source: string) => faultWithin(source, new Budget(Number.POSITIVE_INFINITY))

describe("the source of a python tool", () => {
  it.each([
    ["two plain parameters", "def run(arguments, context):\n    return {}\n"],
    ["annotations and defaults", "def run(a: dict[str, int], c: 'C' = (1, 2)) -> dict:\n    return a\n"],
    ["async", "async def run(a, c):\n    return a\n"],
    ["a decorator", "@cached(lambda x, y: 1)\ndef run(a, c):\n    return a\n"],
    [
      "imports, constants and classes beside it",
      "import re\nX = {\n  'a': 1,\n}\nclass A:\n    def f(self): pass\n\ndef run(a, c): return X\n",
    ],
    ["functions inside it", "def run(a, c):\n    def inner(x):\n        return x\n    return inner(a)\n"],
    ["position-only parameters", "def run(a, c, /):\n    return a\n"],
    [
      "tabs, comments at any column, Windows line ends",
      "def run(a, c):\r\n\tif a:\r\n\t\treturn 1\r\n # odd\r\n\treturn 2\r\n",
    ],
    ["a docstring whose lines lie anywhere", 'def run(a, c):\n    """one\n  two\n    """\n    return a\n'],
  ])("passes: %s", (_, source) => assert.isUndefined(faultOf(source)))

  it.each([
    ["nothing", "", "it defines 0"],
    ["two functions", "def a(x, y): pass\ndef b(x, y): pass\n", "it defines 2"],
    ["a lambda is no function definition", "run = lambda a, c: a\n", "it defines 0"],
    ["one parameter", "def run(a): pass\n", "its parameters are (a)"],
    ["three parameters", "def run(a, b, c=1): pass\n", "its parameters are (a, b, c)"],
    ["variable parameters", "def run(*a, **c): pass\n", "its parameters are (*a, **c)"],
    ["a keyword-only parameter", "def run(a, *, c): pass\n", "its parameters are (a, *, c)"],
    ["a syntax error", "def run(a, c):\n    return 1 1\n", "line 2, column 14"],
    ["a missing body", "def run(a, c):\nreturn a\n", "line 2, column 1"],
    ["an indentation that fits no block", "def run(a, c):\n        x = 1\n    return x\n", "line 3, column 5"],
    ["Python 2", "def run(a, c):\n    print 'x'\n", "line 2, column 5"],
    ["50,000 parentheses", "(".repeat(50_000), "syntax error"],
  ])("refuses: %s", (_, source, words) => assert.include(faultOf(source), words))
})
