import { assert, describe, it } from "@effect/vitest"
import { authorise, chooseChallenge, parseChallenge } from "../../../src/telephony/sip/Digest.ts"

const answerTo = (text: string, password: string, rest: { cnonce?: string; method?: string } = {}) => {
  const challenge = parseChallenge(text)
  if (challenge === null) return assert.fail("The challenge was not read")
  const credentials = { username: "Mufasa", password }
  return authorise({ challenge, credentials, method: "GET", uri: "/dir/index.html", count: 1, cnonce: "x", ...rest })
}

const rfc7616 = (algorithm: string) =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`
const cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

describe("an answer to a challenge", () => {
  it.each([
    ["of RFC 7616 with MD5", rfc7616("MD5"), "Circle of Life", cnonce, "8ca523f5e9506fed4657c9700eebdbec"],
    [
      "of RFC 7616 with SHA-256",
      rfc7616("SHA-256"),
      "Circle of Life",
      cnonce,
      "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    ],
    [
      "of RFC 2617",
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
      "Circle Of Life",
      "0a4f113b",
      "6629fae49393a05397450978507c4ef1",
    ],
    [
      "of RFC 2069, without qop",
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
      "CircleOfLife",
      "unused",
      "1949323746fe6a43ef61f9606e7febea",
    ],
  ] as const)("%s is what the RFC states", (_, challenge, password, cnonce, response) => {
    assert.include(answerTo(challenge, password, { cnonce }), `response="${response}"`)
  })
  it("repeats the algorithm as it was written, and the fields that the server expects back", () => {
    const answer = answerTo('Digest realm="a\\"b", nonce="n", opaque="o", algorithm=md5, qop="auth"', "p")
    assert.include(answer, 'realm="a\\"b"')
    assert.include(answer, "algorithm=md5")
    assert.include(answer, 'opaque="o"')
    assert.include(answer, "nc=00000001")
  })
})

describe("a challenge", () => {
  it.each([
    ["of another scheme", 'Basic realm="a"'],
    ["without a nonce", 'Digest realm="a"'],
    ["with an unknown algorithm", 'Digest realm="a", nonce="n", algorithm=SHA-512-256'],
    ["that wants the body protected", 'Digest realm="a", nonce="n", qop="auth-int"'],
  ])("%s cannot be answered", (_, text) => assert.isNull(parseChallenge(text)))
  it("shows whether only its nonce was too old", () => {
    assert.isTrue(parseChallenge('Digest realm="a", nonce="n", stale=TRUE')?.isStale)
    assert.isFalse(parseChallenge('Digest realm="a", nonce="n"')?.isStale)
  })
  it("with the strongest algorithm of several is chosen", () => {
    const texts = ["MD5", "SHA-512-256", "SHA-256"].map((name) => `Digest realm="a", nonce="n", algorithm=${name}`)
    assert.strictEqual(chooseChallenge(texts)?.algorithm, "SHA-256")
  })
})
