/** What may be a name. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DisplayNameInput, NameInput } from "../../src/domain/Name.ts"
import { DisplayName as DisplayNameOfForm, Name as NameOfForm } from "../../src/rpc/inputs/Fields.ts"

const isTaken = (name: string): ReadonlyArray<boolean> => [
  Schema.is(NameInput)(name),
  Schema.is(DisplayNameInput)(name),
  NameOfForm.safeParse(name).success,
  DisplayNameOfForm.safeParse(name).success,
]

const taken = [
  ...["Rosa", "Šárka 2", "נועה", "نرگس", "می‌خواهم", "Ада – west", "辻\u{e0100}さん", "ᠮᠣᠩᠭᠣᠯ᠎ᠠ"],
  ...["👩‍🚀", "❤️", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Edinburgh"],
]
const refused = [
  ...[0x00, 0x0a, 0x1b, 0x85, 0xad, 0x61c, 0x115f, 0x200b, 0x200e, 0x2028, 0x202e, 0x2060, 0x2066, 0x206a, 0x3164],
  ...[0xfeff, 0xffa0, 0xfff9, 0x1d173, 0xe0041],
]

describe("a name, and a display name", () => {
  it.each(taken)("%s is taken", (name) => assert.deepStrictEqual(isTaken(name), [true, true, true, true]))
  it.each(refused)("with the character %i is refused", (code) =>
    assert.deepStrictEqual(isTaken(`a${String.fromCodePoint(code)}b`), [false, false, false, false]),
  )
  it.each([".", ".."])("%s is refused as a name, since paths have names", (name) =>
    assert.deepStrictEqual(isTaken(name), [false, true, false, true]),
  )
  it("with a text in tags behind a flag is refused", () =>
    assert.deepStrictEqual(isTaken("🏴\u{e0068}\u{e0069}\u{e0064}\u{e007f}"), [false, false, false, false]))
})
