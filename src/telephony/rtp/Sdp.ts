/**
 * Offer and answer for the sound of a call (RFC 3264): G.711 in either law, telephone keys, hold, and encryption by
 * SDES. An answer follows from its offer alone, never from an earlier agreement.
 */
import { Data, Result } from "effect"
import { isIP } from "node:net"
import { type G711, pcma, pcmu } from "../../speech/G711.ts"
import { type Keyring, readKeys, type TaggedKeys, writeKeys } from "./Sdes.ts"
import { type Direction, type MediaSection, readSdp } from "./SdpText.ts"
import type { SrtpKeys } from "./Srtp.ts"

const sentences = {
  malformed: "The text is no session description. Look at what the peer sent.",
  no_audio: "No section of the session description offers sound over RTP. The peer has to offer audio.",
  no_codec: "The peer offers neither PCMU nor PCMA. Enable G.711 at the peer.",
  no_address: "The peer states no IP address and port to which sound can be sent, or one of the other IP version.",
  no_key: "The peer wants encryption, but offers no AES_CM_128_HMAC_SHA1_80 or _32 with an inline key.",
  not_encrypted: "The peer offers sound without encryption, and this line requires it. Enable SRTP at the peer.",
  unencrypted_answer: "The peer answered without encryption to an offer with it. Enable SRTP at the peer.",
} as const

/** Why nothing was agreed. */
export class SdpRefused extends Data.TaggedError("SdpRefused")<{ readonly reason: keyof typeof sentences }> {
  override get message() {
    return sentences[this.reason]
  }
}

/** Our side of the call. */
export interface LocalSound {
  /** The IP address and port at which we receive sound. The port above it receives the reports. */
  readonly host: string
  readonly port: number
  /**
   * The session id and version of the `o=` line: the id is the same for the whole call, the version grows with each
   * description.
   */
  readonly session: number
  readonly version: number
  /** The direction that we want: `sendrecv`, or less to hold the peer. */
  readonly direction: Direction
  readonly keyring: Keyring
  /** Whether our offers ask for encryption and our answers refuse an offer without it. */
  readonly encrypted: boolean
}

/** What both sides agreed on. */
export interface AgreedSound {
  /** Where the peer receives sound, and its reports. */
  readonly remote: { readonly host: string; readonly port: number; readonly rtcpPort: number }
  readonly codec: G711
  readonly payloadType: number
  /** The payload types of telephone keys and of comfort noise; null if the peer takes none. */
  readonly keys: number | null
  readonly comfortNoise: number | null
  /** Whether we may send sound, and whether the peer sends any. On hold, one or both are false. */
  readonly sends: boolean
  readonly receives: boolean
  readonly srtp: { readonly sending: SrtpKeys; readonly receiving: SrtpKeys } | null
}

export interface Answer {
  readonly text: string
  readonly agreed: AgreedSound
}

const offeredKeys = 101
const protocols = /^(?:UDP\/)?RTP\/(S?)AVPF?$/
const staticMaps = new Map([
  [0, "PCMU/8000"],
  [8, "PCMA/8000"],
  [13, "CN/8000"],
])

/** Reads the payload types with their encodings, in the peer's order. */
const readFormats = ({ attributes, formats }: MediaSection): ReadonlyArray<readonly [type: number, name: string]> => {
  const maps = new Map(staticMaps)
  for (const attribute of attributes) {
    const [, type = "", name = ""] = /^rtpmap:(\d{1,3}) ([\w.-]{1,32}\/\d{1,6})(?:\/1)?$/.exec(attribute) ?? []
    if (name !== "") maps.set(Number(type), name.toUpperCase())
  }
  return formats.flatMap((format) => {
    const name = /^\d{1,3}$/.test(format) && Number(format) < 128 ? maps.get(Number(format)) : undefined
    return name === undefined ? [] : [[Number(format), name] as const]
  })
}

const reversed = { sendrecv: "sendrecv", sendonly: "recvonly", recvonly: "sendonly", inactive: "inactive" } as const
const sends = (direction: Direction): boolean => direction === "sendrecv" || direction === "sendonly"
const receives = (direction: Direction): boolean => direction === "sendrecv" || direction === "recvonly"
const directionOf = (sends: boolean, receives: boolean): Direction =>
  sends ? (receives ? "sendrecv" : "sendonly") : receives ? "recvonly" : "inactive"

/** Whether the address is all zeros: so a peer of RFC 2543, which had no directions, puts the call on hold. */
const isNowhere = (address: string): boolean => /^[0:.]+$/.test(address)
/** Whether the address is multicast or broadcast. Sound goes to single peers only. */
const isGroup = (address: string): boolean => /^(?:2(?:2[4-9]|3\d)\.|255\.255\.255\.255$|ff)/i.test(address)

interface RemoteSound extends Omit<AgreedSound, "srtp"> {
  readonly isEncrypted: boolean
  readonly tagged: ReadonlyArray<TaggedKeys>
}

/**
 * Reads what a section offers, within what we want, or why it cannot be used. A socket of one IP family cannot send to
 * the other.
 */
const readSound = (
  section: MediaSection,
  { direction: wanted, host }: LocalSound,
): Result.Result<RemoteSound, SdpRefused> => {
  const formats = readFormats(section)
  const codecs = [pcmu, pcma].map((codec) => ({
    codec,
    type: formats.find(([, name]) => name === `${codec.name}/8000`)?.[0],
  }))
  const [first] = formats.flatMap(([type]) => codecs.filter((one) => one.type === type))
  if (first?.type === undefined) return Result.fail(new SdpRefused({ reason: "no_codec" }))
  const { address, attributes, port } = section
  const isReachable = address !== null && (isIP(address) === isIP(host) || isNowhere(address))
  if (address === null || !isReachable || isIP(address) === 0 || address.includes("%") || isGroup(address)) {
    return Result.fail(new SdpRefused({ reason: "no_address" }))
  }
  const typeOf = (name: string) => formats.find(([, other]) => other === name)?.[0] ?? null
  const [, rtcp = `${Math.min(port + 1, 65_535)}`] =
    attributes.map((one) => /^rtcp:(\d{1,5})(?: |$)/.exec(one)).find((match) => match !== null) ?? []
  const theirs = reversed[section.direction]
  return Result.succeed({
    remote: { host: address, port, rtcpPort: Number(rtcp) },
    codec: first.codec,
    payloadType: first.type,
    keys: typeOf("TELEPHONE-EVENT/8000"),
    comfortNoise: typeOf("CN/8000"),
    sends: sends(theirs) && sends(wanted) && !isNowhere(address),
    receives: receives(theirs) && receives(wanted),
    isEncrypted: protocols.exec(section.protocol)?.[1] === "S",
    tagged: readKeys(attributes),
  })
}

const isSound = ({ kind, port, protocol }: MediaSection): boolean =>
  kind === "audio" && port !== 0 && protocols.test(protocol)

/** The address at which the peer wants sound, of either IP family; null if it offers none. */
export const soundAddressIn = (description: string): string | null =>
  readSdp(description)?.find(isSound)?.address ?? null

const write = (local: LocalSound, sections: ReadonlyArray<string>): string => {
  const family = isIP(local.host) === 6 ? "IP6" : "IP4"
  const origin = `o=parley ${local.session} ${local.version} IN ${family} ${local.host}`
  return ["v=0", origin, "s=-", `c=IN ${family} ${local.host}`, "t=0 0", ...sections, ""].join("\r\n")
}

const writeSection = (
  local: LocalSound,
  protocol: string,
  codecs: ReadonlyArray<readonly [type: number, codec: G711]>,
  keys: number | null,
  direction: Direction,
  crypto: ReadonlyArray<TaggedKeys>,
): ReadonlyArray<string> => [
  `m=audio ${local.port} ${protocol} ${[...codecs.map(([type]) => type), ...(keys === null ? [] : [keys])].join(" ")}`,
  ...codecs.map(([type, { name }]) => `a=rtpmap:${type} ${name}/8000`),
  ...(keys === null ? [] : [`a=rtpmap:${keys} telephone-event/8000`, `a=fmtp:${keys} 0-15`]),
  "a=ptime:20",
  ...crypto.map(writeKeys),
  `a=${direction}`,
]

export const writeOffer = (local: LocalSound): string =>
  write(
    local,
    writeSection(
      local,
      local.encrypted ? "RTP/SAVP" : "RTP/AVP",
      [
        [pcmu.payloadType, pcmu],
        [pcma.payloadType, pcma],
      ],
      offeredKeys,
      local.direction,
      local.encrypted ? local.keyring.offered() : [],
    ),
  )

interface AcceptedSection {
  readonly sound: Omit<AgreedSound, "srtp">
  /** The peer's keys and ours, under one tag; null for sound without encryption. */
  readonly crypto: { readonly theirs: TaggedKeys; readonly ours: TaggedKeys } | null
}

/** Accepts an offered section, or says why not. Encryption is the peer's choice, unless we require it. */
const acceptSection = (section: MediaSection, local: LocalSound): Result.Result<AcceptedSection, SdpRefused> => {
  const read = readSound(section, local)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const {
    isEncrypted,
    tagged: [theirs],
    ...sound
  } = read.success
  if (!isEncrypted && local.encrypted) return Result.fail(new SdpRefused({ reason: "not_encrypted" }))
  if (!isEncrypted) return Result.succeed({ sound, crypto: null })
  if (theirs === undefined) return Result.fail(new SdpRefused({ reason: "no_key" }))
  const ours = { tag: theirs.tag, keys: local.keyring.keysOf(theirs.keys.suite) }
  return Result.succeed({ sound, crypto: { theirs, ours } })
}

/** The answer names every section of the offer in its place, and refuses all but the accepted one (RFC 3264 §6). */
const writeAnswer = (
  local: LocalSound,
  offered: ReadonlyArray<MediaSection>,
  chosen: MediaSection,
  { crypto, sound }: AcceptedSection,
): string =>
  write(
    local,
    offered.flatMap((section) =>
      section === chosen
        ? writeSection(
            local,
            section.protocol,
            [[sound.payloadType, sound.codec]],
            sound.keys,
            directionOf(sound.sends, sound.receives),
            crypto === null ? [] : [crypto.ours],
          )
        : [`m=${section.kind} 0 ${section.protocol} ${section.formats.join(" ")}`],
    ),
  )

/**
 * Answers with the first section that can be used. If none can, fails with the reason of the last section with sound.
 */
export const answerOffer = (offer: string, local: LocalSound): Result.Result<Answer, SdpRefused> => {
  const sections = readSdp(offer)
  if (sections === null) return Result.fail(new SdpRefused({ reason: "malformed" }))
  let refused = new SdpRefused({ reason: "no_audio" })
  for (const section of sections.filter(isSound)) {
    const accepted = acceptSection(section, local)
    if (Result.isSuccess(accepted)) {
      const { crypto, sound } = accepted.success
      const srtp = crypto && { sending: crypto.ours.keys, receiving: crypto.theirs.keys }
      const text = writeAnswer(local, sections, section, accepted.success)
      return Result.succeed({ text, agreed: { ...sound, srtp } })
    }
    refused = accepted.failure
  }
  return Result.fail(refused)
}

/** Reads the peer's answer to the offer that `writeOffer` made of the same `local`. */
export const readAnswer = (answer: string, local: LocalSound): Result.Result<AgreedSound, SdpRefused> => {
  const sections = readSdp(answer)
  if (sections === null) return Result.fail(new SdpRefused({ reason: "malformed" }))
  const section = sections.find(isSound)
  if (section === undefined) return Result.fail(new SdpRefused({ reason: "no_audio" }))
  return Result.flatMap(readSound(section, local), ({ isEncrypted, tagged, ...sound }) => {
    if (!local.encrypted) return isEncrypted ? Result.fail(new SdpRefused({ reason: "no_key" })) : plain(sound)
    if (!isEncrypted) return Result.fail(new SdpRefused({ reason: "unencrypted_answer" }))
    for (const { keys: receiving, tag } of tagged) {
      const sending = local.keyring.offered().find((one) => one.tag === tag && one.keys.suite === receiving.suite)?.keys
      if (sending !== undefined) return Result.succeed({ ...sound, srtp: { sending, receiving } })
    }
    return Result.fail(new SdpRefused({ reason: "no_key" }))
  })
}

const plain = (sound: Omit<AgreedSound, "srtp">): Result.Result<AgreedSound, SdpRefused> =>
  Result.succeed({ ...sound, srtp: null })
