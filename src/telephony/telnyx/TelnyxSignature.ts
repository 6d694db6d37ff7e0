/**
 * Verifies `telnyx-signature-ed25519`: the webhook comes from Telnyx, is unchanged, and is recent.
 * https://developers.telnyx.com/docs/development/api-fundamentals/webhooks
 */
import { Result } from "effect"
import { createPublicKey, verify } from "node:crypto"
import type { SignedWebhook } from "../CarrierCallbacks.ts"

/** The most seconds between the signature and its check. */
const oldest = 300

/** The DER prefix of an Ed25519 public key, before its 32 bytes (RFC 8410 §4). */
const keyPrefix = Buffer.from("302a300506032b6570032100", "hex")

/** `public_key` is in base64; `now` is in milliseconds. */
export const isSigned = (public_key: string, { body, signature, timestamp }: SignedWebhook, now: number): boolean => {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > oldest) return false
  const checked = Result.try(() => {
    const der = Buffer.concat([keyPrefix, Buffer.from(public_key, "base64")])
    const key = createPublicKey({ key: der, format: "der", type: "spki" })
    return verify(null, Buffer.from(`${timestamp}|${body}`), key, Buffer.from(signature, "base64"))
  })
  return Result.isSuccess(checked) && checked.success
}
