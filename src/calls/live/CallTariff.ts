/** The prices of a call: those of the day on which it began. */
import { Effect } from "effect"
import { InstallationPrices } from "../../catalog/PriceFile.ts"
import type { CallOnLine } from "../ledger/Intent.ts"
import type { Charged, Tariff } from "../../domain/PriceList.ts"

type Priced = Pick<CallOnLine, "direction" | "to_number" | "started_at">

/** Returns the function that finds them; it returns null if the installation has no price list. */
export const make = Effect.map(
  InstallationPrices,
  (prices) =>
    ({ direction, started_at, to_number }: Priced, carrier: Charged["carrier"]): Tariff | null =>
      prices?.tariffOf({ carrier, direction, to: to_number, at: started_at }) ?? null,
)
