/**
 * The rule packs of a campaign, and what its calls are about. Each choice is saved at once. A campaign that has started
 * keeps the packs' versions of its start, takes further packs, and asks before it loses one.
 */
import { IconScale, IconShieldOff } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Confirm } from "../../ui/Confirm.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { counted } from "../../words/Figures.ts"
import { CallsSubject } from "./CallsSubject.tsx"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "../../ui/SwitchGroup.css"

type Pack = Outputs["rulePacks"]["list"]["items"][number]

export const RulePacks = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const rpc = useRpc()
  const { slug } = useAccount()
  const packs = useQuery(rpc.rulePacks.list.queryOptions({ page_size: 100 })).data?.items ?? []
  const { update } = useCampaignActs()
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(campaign.rule_packs)
  const [removed, setRemoved] = useState<Pack>()
  const isDraft = campaign.status === "draft"
  const save = async (wanted: ReadonlyArray<string>, loosen_rules = false) => {
    await update.mutateAsync({ id: campaign.id, rule_packs: [...wanted], ...(loosen_rules && { loosen_rules }) })
    setChosen(wanted)
  }
  const without = ({ id }: Pack) => chosen.filter((other) => other !== id)
  const choose = (pack: Pack, isOn: boolean) => {
    if (!isOn && !isDraft) return setRemoved(pack)
    void save(isOn ? [...chosen, pack.id] : without(pack)).catch(() => undefined)
  }
  return (
    <fieldset className="SwitchGroup">
      <legend>Rule packs</legend>
      <p className="SwitchGroup-note">
        Templates, not legal advice. Parley checks the rules named here and no other.{" "}
        <Link to="/$account/rule-packs" params={{ account: slug }}>
          Every rule and its source
        </Link>
        . {chosen.length === 0 && "No pack is chosen, so no rule of law is checked."}
      </p>
      {packs.map((pack) => (
        <Switch key={pack.id} isOn={chosen.includes(pack.id)} onChange={(isOn) => choose(pack, isOn)}>
          <span>
            {pack.name}
            <span className="SwitchGroup-second">{summaryOf(pack, campaign.rule_pack_versions[pack.id])}</span>
          </span>
        </Switch>
      ))}
      {isDraft && <CallsSubject campaign={campaign} />}
      {update.isError && removed === undefined && <ProblemLine problem={problemOf(update.error)} />}
      {removed !== undefined && (
        <Confirm
          question={`Stop checking ${removed.name} for ${campaign.name}?`}
          lines={[
            {
              icon: <IconShieldOff aria-hidden />,
              text: "Its contacts may then be called at times or as often as these rules forbid.",
            },
            { icon: <IconScale aria-hidden />, text: "The audit log records who removed the pack, and when." },
          ]}
          verb="Remove the pack"
          leave="Keep it"
          isOpen
          onClose={() => setRemoved(undefined)}
          onConfirm={() => save(without(removed), true)}
        />
      )}
    </fieldset>
  )
}

/** What the pack checks, and the version that the campaign keeps, if it has started. */
const summaryOf = ({ rules }: Pack, version: string | undefined): string => {
  const checked = rules.filter((rule) => rule.checked)
  return [
    ...(checked.length === 0 ? ["Nothing is checked"] : checked.map(({ title }) => title)),
    `${counted(rules.length - checked.length, "duty", "duties")} not checked`,
    ...(version === undefined ? [] : [`version ${version}`]),
  ].join(" · ")
}
