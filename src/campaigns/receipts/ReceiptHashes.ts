/** The hashes of receipts and seals: SHA-256 over the texts of `domain/Receipt`. */
import { createHash } from "node:crypto"
import { leafText, type ReceiptContent, type Seal, sealText } from "../../domain/Receipt.ts"

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")

export const leafOf = (nonce: string, content: ReceiptContent): string => sha256(leafText(nonce, content))
export const rootOf = (leaves: ReadonlyArray<string>): string => sha256(Buffer.from(leaves.join(""), "hex"))
export const hashOf = (seal: Omit<Seal, "hash">): string => sha256(sealText(seal))
