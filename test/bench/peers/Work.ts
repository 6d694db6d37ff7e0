/**
 * The two reads as one would write them carefully by hand, without a framework: the same look-up of the account, the
 * same check of the API key in the tenant's database, the same queries as named statements. The peers differ only in
 * their server.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import pg from "pg"

export class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super(`refused with ${status}`)
    this.status = status
  }
}

export interface KeptKey {
  readonly secret_hash: Uint8Array
  readonly scopes: ReadonlyArray<string>
  readonly is_live: boolean
}

interface Faq {
  readonly id: string
  readonly name: string
  readonly question: string
  readonly answer: string
  readonly category: string
  readonly is_default: boolean
  readonly modified_from_default: boolean
  readonly created_at: Date
  readonly updated_at: Date
}
type FaqRow = Faq & { readonly revision: number }

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const checksum = (text: string): string => {
  let rest = crc32(text)
  let letters = ""
  while (letters.length < 6) {
    letters = `${alphabet[rest % 62]}${letters}`
    rest = Math.floor(rest / 62)
  }
  return letters
}

const columns =
  "id, name, question, answer, category, is_default, modified_from_default, revision, created_at, updated_at"

const platform = new pg.Pool({ connectionString: process.env["PEER_DATABASE_URL"], max: 2 })
const pools = new Map<string, Promise<pg.Pool>>()

export const databaseOf = async (slug: string): Promise<string> => {
  const { rows } = await platform.query<{ database: string }>("select database from accounts where slug = $1", [slug])
  const url = new URL(process.env["PEER_DATABASE_URL"] ?? "")
  if (rows[0] === undefined) throw new Refused(404)
  url.pathname = `/${rows[0].database}`
  return url.href
}

/** One pool per account, of `pg`'s default size. */
const poolOf = (slug: string): Promise<pg.Pool> => {
  const open = async () => new pg.Pool({ connectionString: await databaseOf(slug), max: 10 })
  const pool = pools.get(slug) ?? open()
  pools.set(slug, pool)
  return pool
}

export interface Headers {
  readonly authorization?: string | undefined
  readonly "x-account-id"?: string | ReadonlyArray<string> | undefined
}

interface Presented {
  readonly slug: string
  readonly key: string
  readonly key_id: string
}

/** The account and the key of a request. Queries no database. */
export const presentedBy = (headers: Headers): Presented => {
  const slug = headers["x-account-id"]
  if (typeof slug !== "string" || !/^[a-z0-9][a-z0-9_-]{0,62}$/.test(slug)) throw new Refused(400)
  const [, key = "", body = "", key_id, sum] =
    /^Bearer ((pak_([0-9A-Za-z]{12})_[0-9A-Za-z]{30})([0-9A-Za-z]{6}))$/.exec(headers.authorization ?? "") ?? []
  if (key_id === undefined || checksum(body) !== sum) throw new Refused(401)
  return { slug, key, key_id }
}

export const check = (kept: KeptKey | undefined, { key }: Presented): void => {
  const hash = createHash("sha256").update(key).digest()
  if (kept === undefined || !timingSafeEqual(kept.secret_hash, hash) || !kept.is_live) throw new Refused(401)
  if (!kept.scopes.includes("read")) throw new Refused(403)
}

const admit = async (headers: Headers): Promise<pg.Pool> => {
  const presented = presentedBy(headers)
  const pool = await poolOf(presented.slug)
  const { rows } = await pool.query<KeptKey>({
    name: "key",
    text: "select secret_hash, scopes, coalesce(expires_at > now(), true) as is_live from api_keys where key_id = $1",
    values: [presented.key_id],
  })
  check(rows[0], presented)
  return pool
}

export const read = async (headers: Headers, id: string): Promise<{ readonly faq: Faq; readonly etag: string }> => {
  const pool = await admit(headers)
  const text = `select ${columns} from faqs where id = $1`
  const { rows } = await pool.query<FaqRow>({ name: "faq", text, values: [id] })
  if (rows[0] === undefined) throw new Refused(404)
  return { faq: faqOf(rows[0]), etag: `"${rows[0].revision}"` }
}

/** The revision is the ETag and not part of the body. */
const faqOf = (row: FaqRow): Faq => ({
  id: row.id,
  name: row.name,
  question: row.question,
  answer: row.answer,
  category: row.category,
  is_default: row.is_default,
  modified_from_default: row.modified_from_default,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const list = async (headers: Headers, page: number, page_size: number) => {
  const pool = await admit(headers)
  const count = await pool.query<{ total: number }>({ name: "count", text: "select count(*)::int as total from faqs" })
  const found = await pool.query<FaqRow>({
    name: "faqs",
    text: `select ${columns} from faqs order by created_at desc, id desc limit $1 offset $2`,
    values: [page_size, page * page_size],
  })
  const items = found.rows.map(faqOf)
  return { items, page, page_size, total: count.rows[0]?.total ?? 0 }
}
