/** Lists come in pages: `page` from 0, `page_size` 1 to 100 (decisions §2, Lists). */
import { Effect, Schema } from "effect"

/** PostgreSQL's OFFSET is a bigint; the highest page times the largest page stays far below it. */
const highestPage = 1_000_000_000

const sizeOf = (fallback: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
    .annotate({ description: `Items per page, 1 to 100. Defaults to ${fallback}.` })
    .pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(fallback)))

/** The query fields of a list, to be spread into an endpoint's `query` next to its filters. */
export const pageQuery = (fallback = 50) => ({
  page: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: highestPage }))
    .annotate({ description: "The page number, from 0. Defaults to 0." })
    .pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(0))),
  page_size: sizeOf(fallback),
})

export interface PageRequest {
  readonly page: number
  readonly page_size: number
}

const Natural = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A list's answer. */
export const Page = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({
    items: Schema.Array(item).annotate({ description: "The items of this page." }),
    page: Natural.annotate({ description: "The number of this page, from 0." }),
    page_size: Natural.annotate({ description: "The maximum number of items on a page." }),
    total: Natural.annotate({ description: "The number of items on all pages." }),
  })

export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly page: number
  readonly page_size: number
  readonly total: number
}

/**
 * The `search` of a list: a substring, in upper or lower case. A list with numbers or people documents what else its
 * search finds.
 */
export const Search = Schema.String.check(Schema.isMaxLength(200)).annotate({
  description: "A substring to search for. Case is ignored.",
})

/** `true` or `false` in a query. */
export const Flag = Schema.Boolean.annotate({ description: "`true` or `false`." })
