/** Why a direct call was permitted: the rule packs and the consent that its request named, and the receipt. */
import { useZone } from "../../data/AccountPulse.ts"
import { basisWords, type ConsentBasis } from "../../words/Consents.ts"
import { count } from "../../words/Figures.ts"
import { instant } from "../../words/Times.ts"
import { decisionOf } from "../campaign/Decision.ts"
import type { OpenCall } from "./Call.ts"
import { Facts } from "./Facts.tsx"

interface Consent {
  readonly basis: ConsentBasis
  readonly at: string
}

export const DirectDecision = ({ call: { decision, receipt } }: { readonly call: OpenCall }) => {
  const zone = useZone()
  const packs = Object.entries(decisionOf(decision)?.rules?.packs ?? {})
  const consent = decision?.["consent"] as Consent | null | undefined
  const sealed = receipt === undefined || receipt === null ? undefined : receipt
  return (
    <Facts
      facts={[
        ...packs.map(([id, version]) => ({ label: "Permitted by", value: `${id} ${version}` })),
        ...(consent === undefined || consent === null
          ? []
          : [{ label: "Consent", value: `${basisWords[consent.basis]}, ${instant(new Date(consent.at), zone)}` }]),
        {
          label: "Receipt",
          value: sealed === undefined ? "Not sealed yet" : `${count(sealed.seq)}, in seal ${count(sealed.seal)}`,
        },
      ]}
    />
  )
}
