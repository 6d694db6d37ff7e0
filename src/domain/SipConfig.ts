/** The `carrier_config` of a SIP number: the trunk that it is called over. */
import { Schema } from "effect"
import { canonicalAddress } from "./IpAddress.ts"
import type { Issue } from "./Refusals.ts"

/** `auto`: the transport that the server's DNS records ask for (NAPTR, RFC 3263), and UDP if they ask for none. */
export const SipTransport = Schema.Literals(["auto", "udp", "tcp", "tls"])
export type SipTransport = typeof SipTransport.Type

export interface SipTrunk {
  /** A name, or an address as sockets spell it. */
  readonly host: string
  /** Null for the transport's default port. */
  readonly port: number | null
  readonly transport: SipTransport
  readonly credentials: { readonly username: string; readonly password: string } | null
  /** The domain of the caller's address. Null for the server's name. */
  readonly from_domain: string | null
  /** Whether a call must be encrypted. */
  readonly srtp: boolean
  /**
   * Whether the number registers at the server (REGISTER). Such a server delivers calls only after it knows where it
   * reaches the number.
   */
  readonly register: boolean
  /** Addresses that the trunk's messages may come from, in addition to the server's own. */
  readonly addresses: ReadonlyArray<string>
}

const isTransport = Schema.is(SipTransport)
const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?$/iu
/** Text that a header can carry in quotes. */
const headerText = /^[\x20-\x7e]{1,200}$/u
const mostAddresses = 32

const readServer = (text: unknown): Pick<SipTrunk, "host" | "port"> | null => {
  if (typeof text !== "string") return null
  const bare = canonicalAddress(text)
  if (bare !== null) return { host: bare, port: null }
  const [, bracketed, name = "", port] = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::(\d{1,5}))?$/u.exec(text) ?? []
  const number = port === undefined ? null : Number(port)
  const host = canonicalAddress(bracketed ?? name) ?? (bracketed === undefined && hostName.test(name) ? name : null)
  return host !== null && (number === null || (number > 0 && number <= 65_535)) ? { host, port: number } : null
}

const isText = (value: unknown): value is string => typeof value === "string" && headerText.test(value)
const isDomain = (value: unknown): value is string => typeof value === "string" && hostName.test(value)
const isAddressList = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) &&
  value.length <= mostAddresses &&
  value.every((one) => typeof one === "string" && canonicalAddress(one) !== null)

/** The transport parameter of a URI; empty for `udp`, which is the default, and for `auto`. */
export const transportParam = (transport: SipTransport): string =>
  transport === "udp" || transport === "auto" ? "" : `;transport=${transport}`

/** The trunk itself, as a SIP URI. */
export const trunkUri = ({ host, port, transport }: SipTrunk): string =>
  `sip:${host.includes(":") ? `[${host}]` : host}${port === null ? "" : `:${port}`}${transportParam(transport)}`

/**
 * The trunk that the settings describe. Null if they are missing or faulty: the number is stored, but cannot dial yet.
 */
export const trunkOf = (carrier_config: Schema.JsonObject): SipTrunk | null => {
  const { addresses = [], from_domain = null, password, srtp = false, transport = "udp", username } = carrier_config
  const { register = false } = carrier_config
  const server = readServer(carrier_config["server"])
  if (server === null || sipIssues(carrier_config).length > 0) return null
  const credentials = isText(username) && isText(password) ? { username, password } : null
  return {
    ...server,
    transport: isTransport(transport) ? transport : "udp",
    credentials,
    from_domain: isDomain(from_domain) ? from_domain : null,
    srtp: srtp === true,
    register: register === true,
    addresses: isAddressList(addresses) ? addresses.flatMap((one) => canonicalAddress(one) ?? []) : [],
  }
}

const demands: ReadonlyArray<readonly [name: string, isRight: (value: Schema.Json) => boolean, detail: string]> = [
  [
    "server",
    (value) => readServer(value) !== null,
    "must be the trunk's host name or IP address, with :port where it is not the usual one: sip.example.com:5080, [2001:db8::1]:5080",
  ],
  ["transport", (value) => isTransport(value), "must be auto, udp, tcp or tls"],
  ["username", isText, "must be the trunk's user name: 1 to 200 printable ASCII characters"],
  ["password", isText, "must be the trunk's password: 1 to 200 printable ASCII characters"],
  ["from_domain", isDomain, "must be a domain: sip.example.com"],
  ["srtp", (value) => typeof value === "boolean", "must be true (every call is encrypted) or false"],
  [
    "register",
    (value) => typeof value === "boolean",
    "must be true (Parley registers the number at the server, which then delivers its calls) or false",
  ],
  ["addresses", isAddressList, `must be a list of up to ${mostAddresses} IP addresses that the trunk sends from`],
]

/**
 * The faults of the trunk's settings, for the client that writes them. A config without any of them is stored for
 * later.
 */
export const sipIssues = (carrier_config: Schema.JsonObject): ReadonlyArray<Issue> => {
  const given = demands.filter(([name]) => carrier_config[name] !== undefined)
  const issues = given.flatMap(([name, isRight, detail]): ReadonlyArray<Issue> => {
    const value = carrier_config[name]
    return value !== undefined && isRight(value) ? [] : [{ pointer: `/carrier_config/${name}`, detail }]
  })
  if (given.length > 0 && carrier_config["server"] === undefined) {
    issues.push({ pointer: "/carrier_config/server", detail: "is required beside the other settings of a SIP trunk" })
  }
  const [username, password] = [carrier_config["username"], carrier_config["password"]]
  if (carrier_config["register"] === true && username === undefined && password === undefined) {
    issues.push({
      pointer: "/carrier_config/username",
      detail: "is required: a server takes registrations by password",
    })
  }
  if ((username === undefined) !== (password === undefined)) {
    const missing = username === undefined ? "username" : "password"
    issues.push({
      pointer: `/carrier_config/${missing}`,
      detail: "is required: a trunk takes a username and a password together, or neither",
    })
  }
  return issues
}
