/** What a draft's calls are about, and whether a wish not to be called again covers no other subject. Saved at once. */
import { useState } from "react"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Switch } from "../../ui/Switch.tsx"
import type { OpenCampaign } from "./CurrentCampaign.ts"

export const CallsSubject = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const { update } = useCampaignActs()
  const [subject, setSubject] = useState(campaign.subject ?? "")
  const [isLimited, setIsLimited] = useState(campaign.opt_out_scope === "subject")
  const wanted = subject.trim() === "" ? null : subject.trim()
  const save = () => {
    if (wanted !== campaign.subject) update.mutate({ id: campaign.id, subject: wanted })
  }
  const limit = (isOn: boolean) => {
    setIsLimited(isOn)
    update.mutate(
      { id: campaign.id, opt_out_scope: isOn ? "subject" : "account" },
      { onError: () => setIsLimited(!isOn) },
    )
  }
  return (
    <>
      <Field
        label="Subject of the calls"
        value={subject}
        onChange={setSubject}
        onBlur={save}
        hint="Some rules limit calls about one subject. Empty: it may be about anything, so every call counts."
      />
      {wanted !== null && (
        <Switch isOn={isLimited} onChange={limit}>
          <span>
            Opt-outs cover this subject only
            <span className="SwitchGroup-second">
              Who asks not to be called again may be called about other subjects. Off: nothing of this account calls
              them.
            </span>
          </span>
        </Switch>
      )}
      {update.isError && <ProblemLine problem={problemOf(update.error)} />}
    </>
  )
}
