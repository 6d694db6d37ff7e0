/** The last step: a sentence with the figures, and the choice to start now or at a time. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useAgentNames, useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { usePhoneNumber } from "../../data/PhoneNumber.ts"
import { notice } from "../../shell/Notices.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { counted } from "../../words/Figures.ts"
import { placeOf, planned } from "../../words/Times.ts"
import { useNow } from "../../shell/Clock.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { Refused } from "../campaign/Refused.tsx"
import { hoursWords, numberWords, retryWords, useHours } from "../campaign/SettingsLine.ts"
import { dropLists } from "./KeptList.ts"
import { localInput, momentIn } from "./LocalTime.ts"
import { useCalledPeople } from "./Preflights.ts"
import { ReviewChecklist } from "./ReviewChecklist.tsx"

export const ReviewStep = ({ campaign, onBack }: { readonly campaign: OpenCampaign; readonly onBack: () => void }) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  const navigate = useNavigate()
  const agents = useAgentNames()
  const { start, update } = useCampaignActs()
  const [when, setWhen] = useState<"now" | "later">(campaign.scheduled_at === null ? "now" : "later")
  const [time, setTime] = useState(() =>
    localInput(
      campaign.scheduled_at === null ? new Date(now.getTime() + 3_600_000) : new Date(campaign.scheduled_at),
      zone,
    ),
  )
  const { id, name } = campaign
  const hours = useHours(campaign)
  const at = momentIn(time, zone)
  const number = usePhoneNumber(campaign.phone_number_id)
  const agent = agents.get(campaign.agent_id) ?? "the agent"
  const called = useCalledPeople(id)
  const people = called === undefined ? "the people of the list" : counted(called, "person", "people")
  const open = () => navigate({ to: "/$account/campaigns/$id", params: { account: slug, id } })
  const act = async () => {
    if (when === "later" && at !== undefined) {
      await update.mutateAsync({ id, scheduled_at: at.toISOString() })
      notice({ text: `${name} starts ${planned(at, now, zone)}.` })
    } else {
      await start.mutateAsync({ id })
      notice({ text: `${name} is dialling.` })
    }
    await dropLists()
    await open()
  }
  const attempt = () => void act().catch(() => undefined)
  const isPast = at === undefined || at.getTime() <= now.getTime()
  useShortcut("⌘↵", "Start or schedule", attempt)
  const refused = start.error ?? update.error
  return (
    <>
      <Panel title="Review">
        <PanelBody>
          <div className="NewCampaign-form">
            <Radios
              label="When"
              chosen={when}
              onChoose={setWhen}
              choices={[
                { value: "now", word: "Start now" },
                { value: "later", word: "Start at a time" },
              ]}
            />
            {when === "later" && (
              <Field
                label={`Time in ${placeOf(zone)}`}
                type="datetime-local"
                value={time}
                onChange={setTime}
                problem={isPast ? "That moment is over." : undefined}
              />
            )}
            <ReviewChecklist campaign={campaign} />
            <p>
              {when === "now" ? "Start now" : at === undefined ? "Start" : `Start ${planned(at, now, zone)}`}: {people}{" "}
              {called === 1 ? "is" : "are"} called{number !== undefined && ` from ${numberWords(number, campaign)}`} by{" "}
              {agent}, {hours !== undefined && `${hoursWords(hours)}, `}
              {counted(campaign.max_concurrent_calls, "slot")}, {retryWords(campaign)}.
            </p>
          </div>
        </PanelBody>
      </Panel>
      <div className="NewCampaign-acts">
        <Button onPress={onBack}>Back</Button>
        <Button
          look="primary"
          shortcut="⌘↵"
          isDisabled={start.isPending || update.isPending || (when === "later" && isPast)}
          onPress={attempt}
        >
          {when === "now" ? `Start calling ${called === undefined ? "" : people}`.trim() : "Schedule it"}
        </Button>
      </div>
      {refused !== null && (
        <Refused
          campaign={campaign}
          problem={problemOf(refused)}
          onClose={() => {
            start.reset()
            update.reset()
          }}
        />
      )}
    </>
  )
}
