/**
 * The receipt of a dial: what was decided, and its place in the account's chain of hashes (decision 0082). The texts
 * that are hashed are made here; the hashes are SHA-256.
 */
import { Schema } from "effect"
import { canonicalJson } from "./CanonicalJson.ts"
import { FrozenPack } from "./RulePack.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"

const hex = (bytes: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${2 * bytes}}$`, "u")))
export const Hash = hex(32).annotate({ description: "A SHA-256 hash as 64 hexadecimal digits." })

/** The hash before the first seal. */
export const noHash = "0".repeat(64)

/** What a receipt says. These columns of a call never change, nor does the record of its decision. */
export const ReceiptContent = Schema.Struct({
  format: Schema.Literal(1),
  call_id: Schema.String,
  campaign_id: Schema.NullOr(Schema.String),
  contact_id: Schema.NullOr(Schema.String),
  attempt_number: Schema.NullOr(Schema.Int),
  agent_id: Schema.String,
  agent_name: Schema.String,
  agent_version: Schema.NullOr(Schema.Int),
  phone_number_id: Schema.NullOr(Schema.String),
  from_number: Schema.NullOr(Schema.String),
  to_number: Schema.NullOr(Schema.String),
  /** With microseconds. */
  started_at: Schema.String,
  decision: Schema.JsonObject,
})
export type ReceiptContent = typeof ReceiptContent.Type

/**
 * The text whose hash is a leaf. The nonce is random: once it is deleted, a guess of the content cannot be tested
 * against the leaf.
 */
export const leafText = (nonce: string, content: ReceiptContent): string =>
  `parley receipt 1\n${nonce}\n${canonicalJson(content)}`

const sealFields = {
  first_seq: Schema.Int,
  count: Schema.Int,
  first_at: Schema.String,
  last_at: Schema.String,
  sealed_at: Schema.String,
  previous: Hash,
  root: Hash,
  hash: Hash,
}
export const Seal = Schema.Struct({ number: Schema.Int, ...sealFields })
export type Seal = typeof Seal.Type

/** The text whose hash is the hash of a seal. `Invariants` makes the same text in SQL. */
export const sealText = (seal: Omit<Seal, "hash">): string =>
  [
    "parley seal 1",
    ...[seal.number, seal.first_seq, seal.count, seal.first_at, seal.last_at, seal.sealed_at, seal.previous, seal.root],
  ].join("\n")

/** The lines of `receipts.jsonl`, in their order. */
export const HeaderLine = Schema.Struct({ parley_receipts: Schema.Literal(1) })
export const RulesLine = Schema.Struct({ rules: Schema.String, packs: Schema.Array(Schema.toType(FrozenPack)) })
/** A pruned seal has no receipts: all of its decisions were deleted. */
export const SealLine = Schema.Struct({ seal: Schema.Int, ...sealFields, pruned: Schema.Boolean })
/** `erased`: the call was deleted, and only its leaf is kept. `missing`: it was not deleted by Parley. */
export const ReceiptLine = Schema.Struct({
  seq: Schema.Int,
  leaf: Hash,
  state: Schema.Literals(["kept", "erased", "missing"]),
  nonce: Schema.NullOr(hex(16)),
  receipt: Schema.NullOr(ReceiptContent),
})
export type ReceiptLine = typeof ReceiptLine.Type

export const ReceiptHead = Schema.Struct({
  seal: Schema.Int.annotate({ description: "The number of the last seal. 0 if nothing was sealed yet." }),
  hash: Hash.annotate({
    description:
      "The hash of the last seal, on which every receipt before it depends. Keep it outside of Parley. 64 zeros if nothing was sealed yet.",
  }),
  receipts: Schema.Int.annotate({
    description: "The number of receipts in the chain, including those of deleted calls.",
  }),
  sealed_at: Schema.NullOr(Timestamp).annotate({ description: "When the last seal was made." }),
}).annotate({ identifier: "ReceiptHead" })
export type ReceiptHead = typeof ReceiptHead.Type

/** The receipt on an attempt. */
export const AttemptReceipt = Schema.Struct({
  seq: Schema.Int.annotate({ description: "The position of the receipt in the account's chain, from 1." }),
  hash: Hash.annotate({ description: "The hash of the decision, with the call's numbers and times." }),
  seal: Schema.Int.annotate({ description: "The number of the seal that contains the hash." }),
  sealed_at: timestamp("When it was sealed: usually within 10 seconds of the dial."),
}).annotate({ identifier: "AttemptReceipt" })
