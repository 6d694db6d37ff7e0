/** The grounds of a consent in words. */
import type { consentBases } from "../../../src/domain/ConsentValues.ts"

export type ConsentBasis = (typeof consentBases)[number]

export const basisWords: Record<ConsentBasis, string> = {
  express_written: "Agreed in writing",
  express: "Agreed in words",
  existing_relationship: "Existing customer",
  legitimate_interest: "Legitimate interest",
}
