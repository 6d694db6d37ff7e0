/** Registers a number at its trunk's server (REGISTER, RFC 3261 §10). */
import { type SipTrunk, trunkUri } from "../../domain/SipConfig.ts"
import { Authoriser } from "./Authoriser.ts"
import { type CallParts, contactFor } from "./CallParts.ts"
import type { ClientTransaction, Result } from "./ClientTransaction.ts"
import { requestIn } from "./Dialog.ts"
import { parseAddress, parseNumber } from "./Fields.ts"
import type { Hop } from "./Hop.ts"
import { newId } from "./Ids.ts"
import { fieldOf, type Response, valuesOf } from "./Message.ts"
import { parseUri, writeUri } from "./Uri.ts"

/** Seconds. */
const wanted = 600
const longest = 86_400

/**
 * The registration of one number at one server. All its requests have one Call-ID and rising `CSeq` numbers. Plain
 * code.
 */
export class Registration {
  private readonly number: string
  private readonly trunk: SipTrunk
  private readonly parts: CallParts
  private readonly authoriser: Authoriser
  private readonly callId = newId()
  private readonly tag = newId()
  private sequence = 0
  private asked = wanted

  constructor(number: string, trunk: SipTrunk, parts: CallParts) {
    this.number = number
    this.trunk = trunk
    this.parts = parts
    this.authoriser = new Authoriser(trunk.credentials)
  }

  /**
   * Registers the number, or with `isEnd` unregisters it. Calls `report` once, with the final response or why there was
   * none. The returned function gives up.
   */
  send(hop: Hop, isEnd: boolean, report: (result: Result) => void): () => void {
    const { credentials, from_domain, host, port, transport } = this.trunk
    const domain = from_domain ?? host
    const own = writeUri(credentials?.username ?? this.number, domain, null)
    const target = trunkUri({ ...this.trunk, host: domain, port: from_domain === null ? port : null, transport })
    const [, contact] = contactFor(hop, this.parts.localPort(hop), this.number)
    let latest: ClientTransaction | null = null
    const ask = (tries: number): void => {
      this.sequence++
      const { fields, uri } = requestIn(
        {
          call_id: this.callId,
          local: `<${own}>`,
          local_tag: this.tag,
          local_sequence: this.sequence,
          remote: `<${own}>`,
          remote_tag: "",
          remote_sequence: null,
          target,
          routes: [],
          place: hop,
        },
        "REGISTER",
        this.sequence,
      )
      latest = this.parts.transactions.request({
        method: "REGISTER",
        uri,
        hop,
        fields: [
          ...fields,
          ["contact", `${contact};expires=${isEnd ? 0 : this.asked}`],
          ...this.authoriser.fieldsFor("REGISTER", uri),
        ],
        on: (result) => {
          if (typeof result === "string") return report(result)
          if (result.status < 200) return
          if (this.mayTryAgain(result, tries)) return ask(tries + 1)
          report(result)
        },
      })
    }
    ask(1)
    return () => (latest === null ? undefined : this.parts.transactions.abandon(latest))
  }

  /** The lifetime of the registration that the server granted, in seconds. */
  secondsOf(success: Response): number {
    const isOurs = (address: ReturnType<typeof parseAddress>) =>
      address !== null && parseUri(address.uri)?.user === this.number
    const contacts = valuesOf(success, "contact").map(parseAddress)
    const given = contacts.find(isOurs)?.params.get("expires") ?? fieldOf(success, "expires")
    return parseNumber(given ?? undefined, longest) ?? this.asked
  }

  /** Prepares another try: with credentials, or with the server's minimum lifetime (423). */
  private mayTryAgain(refusal: Response, tries: number): boolean {
    if (this.authoriser.learns(refusal, tries)) return true
    const least = refusal.status === 423 ? parseNumber(fieldOf(refusal, "min-expires"), longest) : null
    if (least === null || least <= this.asked) return false
    this.asked = least
    return true
  }
}
