import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { faultOf, maximumDepth, maximumValues } from "../../../src/http/edge/StrictJson.ts"

const faultIn = (text: string) => faultOf(new TextEncoder().encode(text))?.detail
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

describe("requests are strict (decisions §2)", () => {
  it.each([
    ["a key twice in one object", `{"a":1,"b":{"c":1},"a":2}`, "twice"],
    ["a key twice, once escaped", String.raw`{"a":1,"\u0061":2}`, "twice"],
    ["a key twice, deep inside", `[{"x":{"y":[{"k":1,"k":2}]}}]`, "twice"],
    ["U+0000 in a value", String.raw`{"a":"\u0000"}`, "U+0000"],
    ["U+0000 in a key", String.raw`{"\u0000":1}`, "U+0000"],
    ["a lone high surrogate", String.raw`["\ud800"]`, "surrogate"],
    ["a lone low surrogate in a key", String.raw`{"\udc00":1}`, "surrogate"],
    ["more than 32 levels", nested(maximumDepth + 1), "32 deep"],
    ["more values than others may wait for", `[${"0,".repeat(maximumValues)}0]`, "10000 values"],
    ["brackets that are never closed", "[".repeat(1_000_000), "10000 values"],
    ["a text that is never closed", `["${"x".repeat(1_000)}`, "not valid JSON"],
    ["a trailing comma", `{"a":1,}`, "not valid JSON"],
    ["nothing", ``, "ends too early"],
    ["an integer that a double would round", `{"a":9007199254740993}`, "9007199254740991"],
    ["the first integer that is not safe, negative", `[-9007199254740992]`, "9007199254740991"],
    ["a number beyond every double", `{"a":1e400}`, "too large"],
    ["a byte order mark", `\ufeff{}`, "not valid JSON"],
  ])("%s is refused", (_, text, sentence) => {
    assert.include(faultIn(text), sentence)
  })

  it.each([
    [`{"a":[{"b/c":9007199254740993}]}`, "/a/0/b~1c", "is an integer beyond 9007199254740991"],
    [`{"a":1,"b":[true,"x",{"c":"\\ud800"}]}`, "/b/2/c", "has half of a surrogate pair, which is not a character"],
    [`{"a":{"b":1,"b":2}}`, "/a", 'has the key "b" twice'],
    [`{"a":[1,2,{"\\u0000":1}]}`, "/a/2", "has a key that has the character U+0000, which cannot be stored"],
  ])("the fault of %s has a pointer and a sentence", (text, pointer, sentence) => {
    const fault = faultOf(new TextEncoder().encode(text))
    assert.strictEqual(fault?.pointer, pointer)
    assert.isTrue(fault?.detail.startsWith(sentence), fault?.detail)
  })

  it("what is no JSON is never sent back in the sentence about it", () => {
    const fault = faultIn(`{"name":"Ada Lovelace" "b"}`)
    assert.include(fault, "line 1, column")
    assert.notInclude(fault, "Ada")
    assert.strictEqual(faultIn("\u{1f600}"), String.raw`is not valid JSON: "\ud83d" stands where it must not`)
  })

  it("invalid UTF-8 is refused", () => {
    assert.include(faultOf(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))?.detail, "UTF-8")
  })

  it.each([
    ["32 levels", nested(maximumDepth)],
    ["a text of many commas", JSON.stringify(",[{".repeat(maximumValues))],
    ["one key in two objects", `[{"a":1},{"a":2}]`],
    ["a key that is also a value", `{"a":"a","b":["a","a"]}`],
    ["brackets, quotes and commas inside of strings", String.raw`{"a":"}{\",\"a\":[","b":"\\"}`],
    ["a pair of surrogates", String.raw`["\ud83d\ude00"]`],
    ["the largest safe integer, and a measure beyond it", `[9007199254740991,-9007199254740991,6.02e23,1.5]`],
    ["digits in a string", `{"9007199254740993":"9007199254740993"}`],
  ])("%s is accepted", (_, text) => {
    assert.isUndefined(faultIn(text))
  })

  it("whatever JSON.stringify writes of well-formed data is accepted", () => {
    const data = fc
      .jsonValue({ maxDepth: 20 })
      .filter((value) => !/\\u0000|(?<![.\d])\d{16,}(?![.\d])/.test(JSON.stringify(value)))
    fc.assert(fc.property(data, (value) => faultIn(JSON.stringify(value)) === undefined))
  })

  it("any key written twice is found, whatever stands around it", () => {
    const key = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"))
    fc.assert(
      fc.property(key, fc.jsonValue({ maxDepth: 4 }), (name, value) => {
        const member = `${JSON.stringify(name)}:${JSON.stringify(value).replaceAll(String.raw`\u0000`, "")}`
        return faultIn(`{${member},${member}}`) !== undefined
      }),
    )
  })

  it("bytes of any kind get an answer, never an exception", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => (faultOf(bytes)?.detail ?? "").length >= 0))
  })
})
