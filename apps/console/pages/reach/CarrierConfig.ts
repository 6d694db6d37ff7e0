/** Converts a number's `carrier_config` to the texts of a form, and back. */

export type Carrier = "lab" | "sip" | "telnyx" | "twilio"

/**
 * The fields of each carrier's form. Stored secrets are shown as empty fields, and an empty field keeps the stored one.
 */
const fields = {
  lab: { texts: [], secrets: [] },
  twilio: { texts: ["account_sid"], secrets: ["auth_token"] },
  telnyx: { texts: ["connection_id", "public_key"], secrets: ["api_key"] },
  sip: { texts: ["server", "transport", "username", "from_domain"], secrets: ["password"] },
} as const

type TextName = (typeof fields)[Carrier]["texts" | "secrets"][number]

/** `srtp` and `register` are "yes" or "no"; `addresses` has one address a line. */
export type CarrierTexts = Readonly<Record<TextName | "srtp" | "register" | "addresses" | "calls_per_second", string>>

export const secretNames: ReadonlyArray<TextName> = Object.values(fields).flatMap(({ secrets }) => [...secrets])
const textNames: ReadonlyArray<TextName> = Object.values(fields).flatMap(({ secrets, texts }) => [...texts, ...secrets])

const mask = "********"

type Config = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? `${value}` : "")

export const textsOf = (config: object): CarrierTexts => {
  const values = config as Config
  const texts = Object.fromEntries(
    textNames.map((name) => [name, values[name] === mask ? "" : textOf(values[name])]),
  ) as Record<TextName, string>
  const { addresses, calls_per_second, register, srtp, transport = "udp" } = values
  return {
    ...texts,
    transport: textOf(transport),
    srtp: srtp === true ? "yes" : "no",
    register: register === true ? "yes" : "no",
    addresses: Array.isArray(addresses) ? addresses.map(textOf).join("\n") : "",
    calls_per_second: textOf(calls_per_second),
  }
}

export const noTexts: CarrierTexts = textsOf({})

const linesOf = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/u).filter((line) => line !== "")

/** Keeps secrets that are not typed again, and settings that the form does not show. */
export const configOf = (carrier: Carrier, texts: CarrierTexts, before: object): Record<string, never> => {
  const ours = new Set<string>([...textNames, "srtp", "register", "addresses", "calls_per_second"])
  const config: Record<string, unknown> = Object.fromEntries(Object.entries(before).filter(([name]) => !ours.has(name)))
  for (const name of fields[carrier].texts) if (texts[name] !== "") config[name] = texts[name]
  for (const name of fields[carrier].secrets) {
    const secret = texts[name] === "" ? (before as Config)[name] : texts[name]
    if (secret !== undefined) config[name] = secret
  }
  if (carrier === "sip") {
    if (texts.srtp === "yes") config["srtp"] = true
    if (texts.register === "yes") config["register"] = true
    if (texts.addresses !== "") config["addresses"] = linesOf(texts.addresses)
    // Without a server the other settings mean nothing.
    if (texts.server === "") delete config["transport"]
  }
  const pace = Number(texts.calls_per_second)
  if (texts.calls_per_second !== "") {
    config["calls_per_second"] = Number.isNaN(pace) ? texts.calls_per_second : pace
  }
  return config as Record<string, never>
}

/** The setting by which a carrier can deliver calls to a number. A number of the lab cannot be called. */
const deliversBy: Readonly<Record<Carrier, string | null>> = {
  lab: null,
  sip: "server",
  telnyx: "connection_id",
  twilio: "account_sid",
}

/** True if an agent answers calls to the number. */
export const isAnswered = (number: {
  readonly carrier: Carrier
  readonly carrier_config: Readonly<Record<string, unknown>>
  readonly inbound_agent_id: string | null
}): boolean => {
  const setting = deliversBy[number.carrier]
  return number.inbound_agent_id !== null && setting !== null && number.carrier_config[setting] !== undefined
}
