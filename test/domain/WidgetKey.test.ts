import { assert, describe, it } from "@effect/vitest"
import { isOrigin } from "../../src/domain/WidgetKey.ts"

describe("an origin, as a browser writes it", () => {
  it.each(["https://www.example.com", "http://localhost:5173", "https://example.com:8443", "http://[::1]:3000"])(
    "%s is one",
    (text) => assert.isTrue(isOrigin(text)),
  )
  it.each([
    "",
    "null",
    "*",
    "https://*.example.com",
    "www.example.com",
    "https://www.example.com/",
    "https://www.example.com/page",
    "https://www.example.com?x",
    "https://WWW.example.com",
    "https://www.example.com:443",
    "https://user@www.example.com",
    "ftp://www.example.com",
    "https://www.example.com https://evil.example",
  ])("%j is none", (text) => assert.isFalse(isOrigin(text)))
})
