/** Whether the campaign calls only people whose consent the ledger has, and on which grounds. Saved in the draft at once. */
import { useState } from "react"
import { consentBases } from "../../../../src/domain/ConsentValues.ts"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { basisWords, type ConsentBasis } from "../../words/Consents.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import "../../ui/SwitchGroup.css"

const usual: ReadonlyArray<ConsentBasis> = ["express_written", "express"]

export const RequiredConsent = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const { update } = useCampaignActs()
  const [bases, setBases] = useState<ReadonlyArray<ConsentBasis>>(campaign.required_consent?.basis ?? [])
  const save = (wanted: ReadonlyArray<ConsentBasis>) => {
    setBases(wanted)
    const required_consent = wanted.length === 0 ? null : { ...campaign.required_consent, basis: [...wanted] }
    update.mutate({ id: campaign.id, required_consent })
  }
  return (
    <fieldset className="SwitchGroup">
      <legend>Consent</legend>
      <Switch isOn={bases.length > 0} onChange={(isOn) => save(isOn ? usual : [])}>
        Call only people whose consent is recorded
      </Switch>
      {bases.length > 0 &&
        consentBases.map((basis) => (
          <Switch
            key={basis}
            isOn={bases.includes(basis)}
            onChange={(isOn) => save(consentBases.filter((other) => (other === basis ? isOn : bases.includes(other))))}
          >
            {basisWords[basis]}
          </Switch>
        ))}
      {update.isError && <ProblemLine problem={problemOf(update.error)} />}
    </fieldset>
  )
}
