/** What a campaign cost: the sum of its calls by part, and how much of its limit that is. */
import type { Snapshot } from "./follow.ts"
import type { Page, Parley } from "./parley.ts"

interface Call {
  readonly cost: { readonly parts: Record<string, number>; readonly not_priced?: ReadonlyArray<string> }
}

/** Adds up the calls' costs by part, in whole millionths: floating-point numbers would not add up exactly. */
export const costsOf = async (parley: Parley, campaignId: string) => {
  const parts = new Map<string, number>()
  let unpriced = 0
  for (let page = 0, seen = 0; ; page++) {
    const { items, total } = await parley.get<Page<Call>>(`/api/v1/calls?campaign_id=${campaignId}&page=${page}`)
    for (const { cost } of items) {
      if (cost.not_priced !== undefined) unpriced++
      for (const [part, amount] of Object.entries(cost.parts)) {
        parts.set(part, (parts.get(part) ?? 0) + Math.round(amount * 1_000_000))
      }
    }
    seen += items.length
    if (items.length === 0 || seen >= total) return { parts, unpriced }
  }
}

const words: Record<string, string> = {
  telephony: "carrier",
  brain: "models",
  recogniser: "speech to text",
  voice: "text to speech",
}

/** Lines such as "carrier  1.93 USD", and the sum beside the campaign's limit. */
export const describeCosts = (
  { parts, unpriced }: Awaited<ReturnType<typeof costsOf>>,
  { cost, spend }: Snapshot,
): string =>
  [
    ...[...parts].map(([part, micros]) => `  ${(words[part] ?? part).padEnd(15)} ${(micros / 1_000_000).toFixed(4)}`),
    ...(unpriced === 0 ? [] : [`  ${unpriced} calls have a part without a price.`]),
    `  ${"together".padEnd(15)} ${cost.amount.toFixed(4)} ${cost.currency}${spend === undefined ? "" : `, of at most ${spend.limit}`}`,
  ].join("\n")
