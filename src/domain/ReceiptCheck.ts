/**
 * Checks the lines of `receipts.jsonl`, in their order: each hash, each link to the seal before, and each decision by a
 * replay (decision 0082). The lines come from an account's database or from a file. Hashing is passed in.
 */
import { Option, Schema } from "effect"
import { canonicalJson } from "./CanonicalJson.ts"
import { HeaderLine, noHash, type ReceiptContent, ReceiptLine, RulesLine, type Seal, SealLine } from "./Receipt.ts"
import { replay } from "./ReceiptReplay.ts"
import type { FrozenPack } from "./RulePack.ts"

export interface Hashes {
  readonly digestOf: (packs: ReadonlyArray<FrozenPack>) => string
  readonly leafOf: (nonce: string, content: ReceiptContent) => string
  readonly rootOf: (leaves: ReadonlyArray<string>) => string
  readonly hashOf: (seal: Omit<Seal, "hash">) => string
}

/** The most faults that are kept. The first fault may be the cause of the others. */
const mostFaults = 20

/** A process that dies leaves its last decisions to the hourly sweep. */
const lateAfterMs = 2 * 3_600_000

const lineOf = Schema.decodeUnknownOption(Schema.Union([ReceiptLine, SealLine, RulesLine, HeaderLine]))

export class ReceiptCheck {
  readonly faults: Array<string> = []
  seals = 0
  receipts = 0
  replayed = 0
  notReplayable = 0
  erased = 0
  /** Receipts that were sealed hours after their dial. */
  late = 0
  pruned = 0
  /** The hash before the first seal that was read. Zeros at the beginning of a chain. */
  begin = noHash
  head: { readonly seal: number; readonly hash: string } = { seal: 0, hash: noHash }
  readonly #packs = new Map<string, ReadonlyArray<FrozenPack>>()
  readonly #hashes: Hashes
  readonly #noted: string | undefined
  #hasNoted = false
  #hasHeader = false
  #lines = 0
  #seal: typeof SealLine.Type | undefined
  #leaves: Array<string> = []

  /** `noted`: the hash of a seal that was kept elsewhere, which has to be in the chain. */
  constructor(hashes: Hashes, noted?: string) {
    this.#hashes = hashes
    this.#noted = noted
  }

  #fault(says: string): void {
    if (this.faults.length < mostFaults) this.faults.push(says)
  }

  add(text: string): void {
    this.#lines++
    try {
      this.#addLine(text)
    } catch {
      // No line of Parley is nested so deep that the stack of this process is too small for it.
      this.#fault(`line ${this.#lines} is nested too deep`)
    }
  }

  #addLine(text: string): void {
    const line = Option.getOrUndefined(lineOf(parse(text)))
    if (line === undefined) this.#fault(`line ${this.#lines} cannot be read`)
    else if ("parley_receipts" in line) this.#hasHeader = true
    else if ("rules" in line) this.#addRules(line)
    else if ("pruned" in line) this.#addSeal(line)
    else this.#addReceipt(line)
    // A field that the format does not know would be outside of every hash.
    if (line !== undefined && canonicalJson(line) !== text) {
      this.#fault(`line ${this.#lines} is not written as Parley writes it`)
    }
  }

  #addRules({ packs, rules }: typeof RulesLine.Type): void {
    if (this.#hashes.digestOf(packs) !== rules) this.#fault(`rule packs ${rules}: their content was changed`)
    else this.#packs.set(rules, packs)
  }

  #addSeal(line: typeof SealLine.Type): void {
    this.#closeSeal()
    const { pruned, seal: number, ...fields } = line
    const before = this.#seal
    if (this.#hashes.hashOf({ number, ...fields }) !== line.hash) this.#fault(`seal ${number}: it was changed`)
    if (before === undefined) {
      this.begin = line.previous
      if (number === 1 && (line.previous !== noHash || line.first_seq !== 1))
        this.#fault("seal 1: it does not begin a chain")
    } else if (number !== before.seal + 1) {
      this.#fault(`seal ${before.seal + 1}: it is missing; seal ${number} follows`)
    } else if (line.previous !== before.hash || line.first_seq !== before.first_seq + before.count) {
      this.#fault(`seal ${number}: it does not continue seal ${before.seal}`)
    }
    this.seals++
    if (pruned) this.pruned += line.count
    if (line.hash === this.#noted) this.#hasNoted = true
    this.#seal = line
    this.#leaves = []
    this.head = { seal: number, hash: line.hash }
  }

  #addReceipt({ leaf, nonce, receipt, seq, state }: ReceiptLine): void {
    const seal = this.#seal
    if (seal === undefined || seal.pruned || seq !== seal.first_seq + this.#leaves.length) {
      return this.#fault(`receipt ${seq}: it is out of order`)
    }
    this.#leaves.push(leaf)
    this.receipts++
    if (receipt !== null && Date.parse(seal.sealed_at) - Date.parse(receipt.started_at) > lateAfterMs) this.late++
    const where = `receipt ${seq} in seal ${seal.seal}`
    if (state === "erased" && nonce === null && receipt === null) this.erased++
    else if (nonce === null || receipt === null) this.#fault(`${where}: its decision is missing`)
    else if (state !== "kept") this.#fault(`${where}: it is marked as ${state}, and has its decision`)
    else if (this.#hashes.leafOf(nonce, receipt) !== leaf)
      this.#fault(`${where}, call ${receipt.call_id}: it was changed`)
    else this.#replay(where, receipt)
  }

  #replay(where: string, receipt: ReceiptContent): void {
    const result = replay(receipt, (digest) => this.#packs.get(digest))
    if (result._tag === "Same") this.replayed++
    else if (result._tag === "NotReplayable") this.notReplayable++
    else this.#fault(`${where}, call ${receipt.call_id}: the replay differs: ${result.says}`)
  }

  #closeSeal(): void {
    const seal = this.#seal
    if (seal === undefined || seal.pruned) return
    if (this.#leaves.length !== seal.count) {
      this.#fault(`seal ${seal.seal}: it has ${this.#leaves.length} receipts instead of ${seal.count}`)
    } else if (this.#hashes.rootOf(this.#leaves) !== seal.root) {
      this.#fault(`seal ${seal.seal}: the hashes of its receipts were changed`)
    }
  }

  /** Call after the last line. */
  end(): void {
    this.#closeSeal()
    if (!this.#hasHeader) this.#fault("the first line of a file of receipts is missing")
    if (this.#noted !== undefined && !this.#hasNoted) {
      this.#fault(
        `no seal has the noted hash ${this.#noted}: the chain was rewritten, restored from an older backup, or cut off`,
      )
    }
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
