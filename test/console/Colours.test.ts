/** The solid outcome colours can be told apart with any colour vision, in both themes (design, Tokens). */
import { assert, describe, it } from "@effect/vitest"
import {
  type Color,
  differenceEuclidean,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
} from "culori"
import { readFileSync } from "node:fs"

const tokens = readFileSync("apps/console/theme/tokens.css", "utf8")

/** Hatched ones are told by their hatching. */
const solid = ["answered", "voicemail", "no_answer", "busy", "rejected", "invalid_number", "carrier_error"]

const pairOf = (token: string): readonly [light: Color, dark: Color] => {
  const [, light = "", dark = ""] =
    new RegExp(`--${token}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens) ?? []
  const colours = [parse(light), parse(dark)] as const
  if (colours[0] === undefined || colours[1] === undefined) throw new Error(`There is no token ${token}`)
  return [colours[0], colours[1]]
}

const far = differenceEuclidean("oklab")
const eyes: Record<string, (colour: Color) => Color> = {
  "all cones": (colour) => colour,
  "no red cones": filterDeficiencyProt(1),
  "no green cones": filterDeficiencyDeuter(1),
  "no blue cones": filterDeficiencyTrit(1),
}

describe("outcome colours", () => {
  for (const [at, theme] of ["light", "dark"].entries()) {
    it.each(Object.entries(eyes))(`differ by at least 10 in ${theme}, seen with %s`, (_, seen) => {
      const colours = solid.map((name) => ({ name, colour: seen(pairOf(`o-${name}`)[at] as Color) }))
      const near = colours.flatMap((one, index) =>
        colours.slice(index + 1).flatMap((other) => {
          const distance = far(one.colour, other.colour) * 100
          return distance < 10 ? [`${one.name} and ${other.name}: ${distance.toFixed(1)}`] : []
        }),
      )
      assert.deepStrictEqual(near, [])
    })
  }
})
