import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { type Admitted, ToolAddressGuard, type Resolve, unreachable } from "../../src/tools/ToolAddressGuard.ts"

/** No name of these tests leaves the machine: this is all the DNS there is. */
const zone: Record<string, ReadonlyArray<string>> = {
  "public.test": ["93.184.215.14"],
  "both.test": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "nat64.test": ["64:ff9b::8.8.8.8"],
  "mapped.test": ["::ffff:8.8.8.8"],
  localhost: ["93.184.215.14"],
  "ten.test": ["10.1.2.3"],
  "metadata.google.internal": ["169.254.169.254"],
  "loopback.test": ["127.0.0.1"],
  "loopback6.test": ["::1"],
  "loopback-mapped.test": ["::ffff:127.0.0.1"],
  "loopback-compatible.test": ["::127.0.0.1"],
  "compatible-public.test": ["::8.8.8.8"],
  "zone.test": ["fe80::1%eth0"],
  "public-zone.test": ["2606:4700::1%eth0"],
  "last-is-private.test": ["93.184.215.14", "192.168.0.1"],
  "first-is-private.test": ["192.168.0.1", "93.184.215.14"],
  "aaaa-is-private.test": ["93.184.215.14", "fd00::1"],
  "number.test": ["2130706433"],
  "words.test": ["not an address"],
  "empty-address.test": [""],
  "nothing.test": [],
}
const fromZone: Resolve = (hostname) => {
  const found = zone[hostname]
  return found === undefined ? Effect.fail(unreachable) : Effect.succeed(found)
}

type Environment = Record<string, string>
const development = { PARLEY_ENV: "development" }
const production = { PARLEY_ENV: "production" }
const loopbackAllowed = { ...development, PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }

const guardIn = (env: Environment, resolve: Resolve = fromZone) =>
  ToolAddressGuard.layerWith(resolve).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))

const admit = (url: string, env: Environment = production, resolve?: Resolve) =>
  ToolAddressGuard.use((guard) => guard.admit(url)).pipe(Effect.provide(guardIn(env, resolve)))

/** `admitted`, or the code of the failure. */
const verdict = (url: string, env?: Environment) =>
  admit(url, env).pipe(
    Effect.as("admitted"),
    Effect.catchTag("ToolFailed", ({ code }) => Effect.succeed(code)),
  )

/** What a socket gets that asks for the name. */
const asked = ({ lookup }: Admitted) =>
  Effect.callback<unknown>((resume) => {
    lookup("whatever.test", { all: true }, (_, addresses) => resume(Effect.succeed(addresses)))
  })

const refused = [
  ["loopback", "127.0.0.1"],
  ["the end of loopback", "127.255.255.254"],
  ["loopback in short", "127.1"],
  ["loopback as a decimal number", "2130706433"],
  ["loopback as a hexadecimal number", "0x7f000001"],
  ["loopback as an octal number", "017700000001"],
  ["loopback in octal parts", "0177.0.0.1"],
  ["loopback in hexadecimal parts", "0x7f.0x0.0x0.0x1"],
  ["loopback in mixed parts", "0x7f.1"],
  ["loopback in full-width digits", "１２７.0.0.1"],
  ["loopback in circled digits", "①②⑦.⓪.⓪.①"],
  ["loopback with ideographic dots", "127。0。0。1"],
  ["loopback percent-encoded", "%31%32%37.0.0.1"],
  ["loopback with a dot at the end", "127.0.0.1."],
  ["the unspecified address", "0.0.0.0"],
  ["the unspecified address in short", "0"],
  ["this network", "0.1.2.3"],
  ["private 10/8", "10.0.0.1"],
  ["private 10/8 as a decimal number", "167772161"],
  ["private 172.16/12", "172.16.0.1"],
  ["the end of private 172.16/12", "172.31.255.255"],
  ["private 192.168/16", "192.168.1.1"],
  ["private 192.168/16 in octal parts", "0300.0250.1.1"],
  ["link-local", "169.254.0.1"],
  ["the metadata service", "169.254.169.254"],
  ["the metadata service as a decimal number", "2852039166"],
  ["the metadata service as a hexadecimal number", "0xa9fea9fe"],
  ["the metadata service in octal parts", "0251.0376.0251.0376"],
  ["the metadata service in short", "169.254.43518"],
  ["the metadata service of containers", "169.254.170.2"],
  ["the metadata service of Alibaba", "100.100.100.200"],
  ["the metadata service of Oracle", "192.0.0.192"],
  ["the platform's address in Azure", "168.63.129.16"],
  ["carrier-grade NAT", "100.64.0.1"],
  ["protocol assignments", "192.0.0.1"],
  ["documentation 1", "192.0.2.1"],
  ["documentation 2", "198.51.100.1"],
  ["documentation 3", "203.0.113.1"],
  ["6to4 relays", "192.88.99.1"],
  ["benchmarking", "198.18.0.1"],
  ["multicast", "224.0.0.1"],
  ["the end of multicast", "239.255.255.255"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["IPv6 loopback", "[::1]"],
  ["IPv6 loopback in full", "[0:0:0:0:0:0:0:1]"],
  ["the IPv6 unspecified address", "[::]"],
  ["mapped loopback", "[::ffff:127.0.0.1]"],
  ["mapped loopback in hexadecimal", "[::ffff:7f00:1]"],
  ["mapped private", "[::ffff:10.0.0.1]"],
  ["the mapped metadata service", "[::ffff:a9fe:a9fe]"],
  ["IPv4-compatible loopback", "[::127.0.0.1]"],
  ["an IPv4-compatible public address", "[::8.8.8.8]"],
  ["translated loopback", "[::ffff:0:127.0.0.1]"],
  ["NAT64 of loopback", "[64:ff9b::127.0.0.1]"],
  ["NAT64 of a private address", "[64:ff9b::10.0.0.1]"],
  ["NAT64 of the metadata service", "[64:ff9b::a9fe:a9fe]"],
  ["NAT64 of a local prefix", "[64:ff9b:1::8.8.8.8]"],
  ["6to4 of loopback", "[2002:7f00:1::]"],
  ["6to4 of a private address", "[2002:a00:1::1]"],
  ["6to4 of a public address", "[2002:808:808::1]"],
  ["Teredo", "[2001:0:7f00:1::1]"],
  ["IPv6 link-local", "[fe80::1]"],
  ["unique local", "[fc00::1]"],
  ["the IPv6 metadata service", "[fd00:ec2::254]"],
  ["IPv6 site-local", "[fec0::1]"],
  ["IPv6 multicast", "[ff02::1]"],
  ["IPv6 documentation", "[2001:db8::1]"],
  ["newer IPv6 documentation", "[3fff::1]"],
  ["IPv6 discard", "[100::1]"],
  ["IPv6 benchmarking", "[2001:2::1]"],
  ["ORCHID", "[2001:20::1]"],
  ["segment routing", "[5f00::1]"],
  ["unassigned IPv6", "[4000::1]"],
  ["loopback with zeros", "127.000.000.001"],
  ["loopback in full and mapped", "[0:0:0:0:0:ffff:7f00:1]"],
  ["private 10/8 as a hexadecimal number", "0x0a000001"],
  ["private 172.16/12 in short", "172.16.257"],
  ["private 192.168/16 in short", "192.168.257"],
  ["mapped private 192.168/16 in capitals", "[::FFFF:C0A8:0101]"],
  ["NAT64 of private 192.168/16", "[64:ff9b::c0a8:101]"],
  ["6to4 of private 192.168/16", "[2002:c0a8:101::1]"],
  ["broadcast as a decimal number", "4294967295"],
  ["the group of multicast DNS", "224.0.0.251"],
  ["the IPv6 group of all DHCP servers", "[ff05::1:3]"],
  ["the end of unique local", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"],
  ["the end of IPv6 link-local", "[febf::1]"],
  ["localhost, whatever a resolver says", "localhost"],
  ["localhost in capitals", "LocalHost"],
  ["localhost with a dot at the end", "localhost."],
  ["a name under localhost", "api.localhost"],
  ["a name of a private address", "ten.test"],
  ["a name of the metadata service", "metadata.google.internal"],
  ["a name of loopback", "loopback.test"],
  ["a name of IPv6 loopback", "loopback6.test"],
  ["a name of mapped loopback", "loopback-mapped.test"],
  ["a name of IPv4-compatible loopback", "loopback-compatible.test"],
  ["a name of an IPv4-compatible public address", "compatible-public.test"],
  ["a name of an address with a zone", "zone.test"],
  ["a name of a public address with a zone", "public-zone.test"],
  ["a name whose last address is private", "last-is-private.test"],
  ["a name whose first address is private", "first-is-private.test"],
  ["a name whose IPv6 address alone is private", "aaaa-is-private.test"],
  ["a name of a number", "number.test"],
  ["a name of words", "words.test"],
  ["a name of an empty address", "empty-address.test"],
] as const

describe("an http tool may not reach", () => {
  it.effect.each(refused)("%s: %s", ([, host]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(`https://${host}/`), "address_refused")
      assert.strictEqual(yield* verdict(`https://${host}:8443/path?query`, development), "address_refused")
      assert.strictEqual(yield* verdict(`http://${host}/`, development), "address_refused")
    }),
  )

  it.effect.each([
    ["a URL with a user", "https://user@public.test/"],
    ["a URL with a password", "https://user:password@public.test/"],
    ["a password alone", "https://:password@public.test/"],
    ["a host that only looks like the user", "https://public.test@127.0.0.1/"],
    ["plain http", "http://public.test/"],
    ["plain http on the port of https", "http://public.test:443/"],
    ["a file", "file:///etc/passwd"],
    ["ftp", "ftp://public.test/"],
    ["a web socket", "wss://public.test/"],
    ["data", "data:text/plain,hello"],
    ["a URL with a zone in its address", "https://[fe80::1%25eth0]/"],
    ["no URL", "public.test"],
  ] as const)("%s: %s", ([, url]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(url), "address_refused")
    }),
  )
})

describe("an http tool may reach", () => {
  it.effect.each([
    ["a public address", "https://8.8.8.8/"],
    ["a public address beside a private range", "https://172.32.0.1/"],
    ["a public IPv6 address", "https://[2606:4700:4700::1111]/"],
    ["any port", "https://public.test:10443/"],
    ["a name of a public address", "https://public.test/"],
    ["a name whose every address is public", "https://both.test/"],
    ["a public address behind NAT64", "https://nat64.test/"],
    ["a mapped public address", "https://mapped.test/"],
  ] as const)("%s: %s", ([, url]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(url), "admitted")
    }),
  )

  it.effect("a public address over http in development", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict("http://public.test/", development), "admitted")
    }),
  )

  it.effect("no name without an address", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict("https://nothing.test/"), "unreachable")
      assert.strictEqual(yield* verdict("https://unknown.test/"), "unreachable")
    }),
  )
})

describe("PARLEY_HTTP_TOOL_ALLOW_LOOPBACK", () => {
  const loopback = ["127.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "loopback.test", "loopback6.test", "localhost"]

  it.effect.each(loopback)("lets tools of development reach %s", (host) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(`https://${host}/`, loopbackAllowed), "admitted")
      assert.strictEqual(yield* verdict(`http://${host}:8080/`, loopbackAllowed), "admitted")
    }),
  )
  it.effect.each(loopback.slice(0, 6))("means nothing to %s in production", (host) =>
    Effect.gen(function* () {
      const env = { ...loopbackAllowed, ...production }
      assert.strictEqual(yield* verdict(`https://${host}/`, env), "address_refused")
      assert.strictEqual(yield* verdict(`http://${host}/`, env), "address_refused")
    }),
  )
  it.effect.each(refused.filter(([name]) => !/loopback|localhost/i.test(name)))("opens nothing else: %s", ([, host]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(`https://${host}/`, loopbackAllowed), "address_refused")
    }),
  )
  it.effect.each(["[64:ff9b::127.0.0.1]", "[::127.0.0.1]", "[2002:7f00:1::]", "loopback-compatible.test"])(
    "opens no detour to loopback: %s",
    (host) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* verdict(`https://${host}/`, loopbackAllowed), "address_refused")
      }),
  )
})

describe("a socket", () => {
  it.effect("gets the addresses that were checked, however the name answers later", () =>
    Effect.gen(function* () {
      const answers = [["93.184.215.14"], ["127.0.0.1"], ["10.0.0.1"]]
      const rebinding: Resolve = () => Effect.sync(() => answers.shift() ?? [])
      const admitted = yield* admit("https://rebinding.test/", production, rebinding)
      const pinned = [{ address: "93.184.215.14", family: 4 }]
      assert.deepStrictEqual(yield* asked(admitted), pinned)
      assert.deepStrictEqual(yield* asked(admitted), pinned)
      assert.lengthOf(answers, 2)
    }),
  )
  it.effect("gets all of them, or the first if it wants one", () =>
    Effect.gen(function* () {
      const admitted = yield* admit("https://both.test/")
      assert.deepStrictEqual(yield* asked(admitted), [
        { address: "93.184.215.14", family: 4 },
        { address: "2606:2800:21f:cb07:6820:80da:af6b:8b2c", family: 6 },
      ])
      const one = yield* Effect.callback<unknown>((resume) => {
        admitted.lookup("both.test", {}, (_, address, family) => resume(Effect.succeed([address, family])))
      })
      assert.deepStrictEqual(one, ["93.184.215.14", 4])
    }),
  )
})
