/**
 * The step of slots, retries, calling hours, further numbers and rules. Each change is saved in the draft, and the
 * right column follows.
 */
import { useState } from "react"
import { useAccountPulse, useZone } from "../../data/AccountPulse.ts"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { fieldProblems, problemOf } from "../../data/Problem.ts"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { counted } from "../../words/Figures.ts"
import { duration, placeOf } from "../../words/Times.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { windowSentence } from "../account/CallingHours.ts"
import { CallerNumbers } from "./CallerNumbers.tsx"
import { Days, usualHours } from "./Days.tsx"
import { delays } from "./Delays.ts"
import { LeftAlone } from "./LeftAlone.tsx"
import { RequiredConsent } from "./RequiredConsent.tsx"
import { RetryByOutcome } from "./RetryByOutcome.tsx"
import { RulePacks } from "../campaign/RulePacks.tsx"

export interface PaceStepProps {
  readonly campaign: OpenCampaign
  readonly onBack: () => void
  readonly onNext: () => void
}

const integer = (text: string, least: number): number | undefined =>
  /^\d{1,7}$/.test(text) && Number(text) >= least ? Number(text) : undefined

/** Copies the days: the router's type wants a mutable list. */
const toInput = (window: OpenCampaign["calling_window"]) => window && { ...window, days: [...window.days] }

/** Null for no limit. Undefined if the text is no amount. */
const amountIn = (text: string): string | null | undefined => {
  const amount = text.trim()
  if (amount === "") return null
  return /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(amount) ? amount : undefined
}

type Change = Omit<Parameters<ReturnType<typeof useCampaignActs>["update"]["mutate"]>[0], "id">

const callbacks = [
  { id: "0", word: "The agent notes it for the staff" },
  { id: "1", word: "Call again at that time, once" },
  { id: "2", word: "Call again at that time, up to twice" },
  { id: "3", word: "Call again at that time, up to three times" },
]

export const PaceStep = ({ campaign, onBack, onNext }: PaceStepProps) => {
  const zone = useZone()
  const pulse = useAccountPulse()
  const { update } = useCampaignActs()
  const [slots, setSlots] = useState(String(campaign.max_concurrent_calls))
  const [retries, setRetries] = useState(String(campaign.retries_per_contact))
  const [byOutcome, setByOutcome] = useState(campaign.retry_by_outcome)
  const [spend, setSpend] = useState(campaign.max_spend ?? "")
  const [window, setWindow] = useState(campaign.calling_window)
  const accountHours = pulse?.account.calling_window ?? null
  const isAnyHour = window === null && pulse !== undefined && accountHours === null
  const problem = update.isError ? problemOf(update.error) : undefined
  const atFields = problem === undefined ? {} : fieldProblems(problem)
  const save = (change: Change) => update.mutateAsync({ id: campaign.id, ...change })
  const delay = String(campaign.retry_delay_seconds)

  const next = async () => {
    const max_concurrent_calls = integer(slots, 1)
    const retries_per_contact = integer(retries, 0)
    const max_spend = amountIn(spend)
    if (max_concurrent_calls === undefined || retries_per_contact === undefined || max_spend === undefined) return
    try {
      await save({
        max_concurrent_calls,
        retries_per_contact,
        max_spend,
        calling_window: toInput(window),
      })
      onNext()
    } catch {
      // The field shows the refusal.
    }
  }
  useShortcut("⌘↵", "Next step", () => void next())
  const saveSlots = () => {
    const wanted = integer(slots, 1)
    if (wanted !== undefined && wanted !== campaign.max_concurrent_calls)
      void save({ max_concurrent_calls: wanted }).catch(() => undefined)
  }
  const saveRetries = () => {
    const wanted = integer(retries, 0)
    if (wanted !== undefined && wanted !== campaign.retries_per_contact)
      void save({ retries_per_contact: wanted }).catch(() => undefined)
  }
  const saveSpend = () => {
    const wanted = amountIn(spend)
    if (wanted !== undefined && wanted !== campaign.max_spend) void save({ max_spend: wanted }).catch(() => undefined)
  }
  const put = (changed: OpenCampaign["calling_window"]) => {
    setWindow(changed)
    void save({ calling_window: toInput(changed) }).catch(() => undefined)
  }
  return (
    <form
      className="NewCampaign-form"
      onSubmit={(event) => {
        event.preventDefault()
        void next()
      }}
    >
      <Field
        label="Slots: calls at the same time"
        type="number"
        value={slots}
        onChange={setSlots}
        onBlur={saveSlots}
        problem={atFields["max_concurrent_calls"] ?? (integer(slots, 1) === undefined ? "1 or more." : undefined)}
        hint={
          pulse === undefined
            ? undefined
            : pulse.slots.left === pulse.slots.limit
              ? `All ${pulse.slots.limit} slots are free.`
              : `${pulse.slots.left} of the account's ${pulse.slots.limit} slots are free.`
        }
      />
      <Field
        label="Retries for people not reached"
        type="number"
        value={retries}
        onChange={setRetries}
        onBlur={saveRetries}
        problem={atFields["retries_per_contact"] ?? (integer(retries, 0) === undefined ? "0 to 10." : undefined)}
        hint={`At most ${counted((integer(retries, 0) ?? 0) + 1, "call")} to one number${campaign.callbacks_per_contact === 0 ? "" : ", and callbacks"}.`}
      />
      <SelectMenu
        form="field"
        label="Between two attempts"
        chosen={delay}
        choices={
          delays.some(({ id }) => id === delay)
            ? delays
            : [...delays, { id: delay, word: duration(campaign.retry_delay_seconds) }]
        }
        onChoose={(id) => void save({ retry_delay_seconds: Number(id) }).catch(() => undefined)}
      />
      {(integer(retries, 0) ?? 0) > 0 && (
        <RetryByOutcome
          retries={integer(retries, 0) ?? 0}
          rules={byOutcome}
          onChange={(retry_by_outcome) => {
            setByOutcome(retry_by_outcome)
            void save({ retry_by_outcome }).catch(() => undefined)
          }}
        />
      )}
      <LeftAlone
        campaign={campaign}
        hasRetries={(integer(retries, 0) ?? 0) > 0}
        onChange={(change) => void save(change).catch(() => undefined)}
      />
      <SelectMenu
        form="field"
        label="When a person asks to be called back"
        chosen={String(campaign.callbacks_per_contact)}
        choices={callbacks}
        onChoose={(id) => void save({ callbacks_per_contact: Number(id) }).catch(() => undefined)}
      />
      <Field
        label="Spend at most, in US dollars"
        inputMode="decimal"
        value={spend}
        onChange={setSpend}
        onBlur={saveSpend}
        problem={atFields["max_spend"] ?? (amountIn(spend) === undefined ? "An amount such as 50.00." : undefined)}
        hint={
          amountIn(spend) === null
            ? "Empty: no limit."
            : "A call is dialled only if the most that it may cost still fits."
        }
      />
      {!isAnyHour && (
        <Radios
          label="Calling hours"
          isLabelSeen
          chosen={window === null ? "inherited" : window.time_zone === "contact" ? "contact" : "account"}
          onChoose={(value) =>
            put(
              value === "inherited"
                ? null
                : { ...(window ?? usualHours), time_zone: value === "contact" ? "contact" : zone },
            )
          }
          choices={[
            ...(accountHours === null
              ? []
              : [{ value: "inherited" as const, word: "As the account says", note: windowSentence(accountHours) }]),
            {
              value: "contact" as const,
              word: "In each contact's time zone",
              note: "By the column time_zone, else by the number.",
            },
            { value: "account" as const, word: `In the account's time zone (${placeOf(zone)})` },
          ]}
        />
      )}
      {window !== null && <Days window={window} onChange={put} />}
      {accountHours === null && (
        <Switch isOn={isAnyHour} onChange={(isOn) => put(isOn ? null : usualHours)}>
          Call at any hour, nights included
        </Switch>
      )}
      <CallerNumbers campaign={campaign} />
      <RequiredConsent campaign={campaign} />
      <RulePacks campaign={campaign} />
      {problem !== undefined && <ProblemLine problem={problem} />}
      <div className="NewCampaign-acts">
        <Button onPress={onBack}>Back</Button>
        {/* Not disabled while a field is saved: pressing it blurs the field, which starts the save. */}
        <Button type="submit" look="primary" shortcut="⌘↵">
          Next: review
        </Button>
      </div>
    </form>
  )
}
