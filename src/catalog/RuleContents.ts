/**
 * The content of rule packs by which numbers were dialled, by its digest, so that a receipt's decision can be replayed
 * after the campaign or the installation has other packs (decision 0082).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import type { FrozenPack } from "../domain/RulePack.ts"
import { json } from "../tenancy/Json.ts"

export const digestOf = (packs: ReadonlyArray<FrozenPack>): string =>
  createHash("sha256").update(canonicalJson(packs)).digest("hex")

/** Stores the packs with this digest unless they are stored. Runs in the transaction that dials by them. */
export const keep = Effect.fn("RuleContents.keep")(function* (digest: string, packs: ReadonlyArray<FrozenPack>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into rule_contents (digest, packs) values (${digest}, ${json(packs)}) on conflict do nothing`
})
