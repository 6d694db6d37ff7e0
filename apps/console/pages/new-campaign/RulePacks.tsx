/** The rule packs of a campaign, and what its calls are about. Each choice is saved in the draft. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { counted } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import "./SwitchGroup.css"

export const RulePacks = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const rpc = useRpc()
  const packs = useQuery(rpc.rulePacks.list.queryOptions({ page_size: 100 })).data?.items ?? []
  const { update } = useCampaignActs()
  const [subject, setSubject] = useState(campaign.subject ?? "")
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(campaign.rule_packs)
  const choose = (id: string, isOn: boolean) => {
    const wanted = isOn ? [...chosen, id] : chosen.filter((other) => other !== id)
    setChosen(wanted)
    update.mutate({ id: campaign.id, rule_packs: wanted })
  }
  const saveSubject = () => {
    const wanted = subject.trim() === "" ? null : subject.trim()
    if (wanted !== campaign.subject) update.mutate({ id: campaign.id, subject: wanted })
  }
  return (
    <fieldset className="SwitchGroup">
      <legend>Rule packs</legend>
      <p className="SwitchGroup-note">
        Templates, not legal advice. Parley checks the rules named here and no other.{" "}
        {chosen.length === 0 && "No pack is chosen, so no rule of law is checked."}
      </p>
      {packs.map(({ id, name, rules }) => {
        const checked = rules.filter((rule) => rule.checked)
        return (
          <Switch key={id} isOn={chosen.includes(id)} onChange={(isOn) => choose(id, isOn)}>
            <span>
              {name}
              <span className="SwitchGroup-second">
                {[
                  ...(checked.length === 0 ? ["Nothing is checked"] : checked.map(({ title }) => title)),
                  `${counted(rules.length - checked.length, "duty", "duties")} not checked`,
                ].join(" · ")}
              </span>
            </span>
          </Switch>
        )
      })}
      {chosen.length > 0 && (
        <Field
          label="Subject of the calls"
          value={subject}
          onChange={setSubject}
          onBlur={saveSubject}
          hint="Some rules limit calls about one subject. Empty: it may be about anything, so every call counts."
        />
      )}
      {update.isError && <ProblemLine problem={problemOf(update.error)} />}
    </fieldset>
  )
}
