/** The passphrase of an archive for a move. It seals the account's data key in the archive, and signs the manifest. */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { seal, unseal } from "../tenancy/MasterKey.ts"

/** Characters. `openssl rand -base64 32` gives 44. */
export const shortestPassphrase = 16

/** The cost of one derivation by scrypt: 128 MiB and some 0.4 s for each guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const place = (account: string) => `archive:${account}`

export interface ArchiveKey {
  readonly salt: string
  readonly seal: (account: string, dataKey: Uint8Array) => string
  /** Throws if the passphrase or the archive is not the right one. */
  readonly open: (account: string, sealed: string) => Uint8Array
  readonly sign: (manifest: Uint8Array) => string
  readonly isSignature: (manifest: Uint8Array, signature: string) => boolean
}

const derive = (passphrase: string, salt: Uint8Array) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize("NFC"), salt, 64, cost, (error, key) => (error === null ? resolve(key) : reject(error)))
  })

/** Derives the key of an archive from its passphrase. Without a salt, it is the key of a new archive. */
export const archiveKey = async (passphrase: string, salt?: string): Promise<ArchiveKey> => {
  const bytes = salt === undefined ? randomBytes(16) : Buffer.from(salt, "base64url")
  const derived = await derive(passphrase, bytes)
  const [sealing, signing] = [derived.subarray(0, 32), derived.subarray(32)]
  const sign = (manifest: Uint8Array) => createHmac("sha256", signing).update(manifest).digest("hex")
  return {
    salt: bytes.toString("base64url"),
    seal: (account, dataKey) => seal(sealing, place(account), dataKey),
    open: (account, sealed) => unseal(sealing, place(account), sealed),
    sign,
    isSignature: (manifest, signature) => {
      const [is, was] = [Buffer.from(sign(manifest)), Buffer.from(signature)]
      return is.length === was.length && timingSafeEqual(is, was)
    },
  }
}
