/** The campaign's slots by phase, and a form to change their count. */
import { useState } from "react"
import { type Slot } from "../../data/LiveCalls.ts"
import { useAccountPulse } from "../../data/AccountPulse.ts"
import type { CampaignView } from "../../data/LiveViews.ts"
import { useMayChange } from "../../data/Account.tsx"
import { useCampaignActs } from "../../data/Campaigns.ts"
import { problemOf } from "../../data/Problem.ts"
import { mostArcs, type SlotPhase, SlotRing } from "../../figures/SlotRing.tsx"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "../../figures/Legend.css"
import "./SlotsNow.css"

const phaseOf = (slot: Slot | undefined): SlotPhase => {
  if (slot === undefined || slot.endedAt !== undefined) return "free"
  return slot.call.status === "in_progress" ? "talking" : "ringing"
}

const words: ReadonlyArray<SlotPhase> = ["talking", "ringing", "free"]

export interface SlotsNowProps {
  readonly campaign: OpenCampaign
  readonly slots: ReadonlyArray<Slot>
  readonly view: CampaignView
}

export const SlotsNow = ({ campaign, slots, view: { calls, phases: counted, snapshot } }: SlotsNowProps) => {
  const mayChange = useMayChange()
  const [form, setForm] = useState<"unopened" | "open" | "closed">("unopened")
  const isChanging = form === "open"
  const limit = campaign.max_concurrent_calls
  const highest = Math.max(limit, ...slots.map(({ number }) => number))
  const byNumber = new Map(slots.map((slot) => [slot.number, slot]))
  // The view names fewer calls than are active, so the slots have no numbers and only their phases are counted.
  const isCounted = calls.length < snapshot.active_calls
  const phases: ReadonlyArray<SlotPhase> = isCounted
    ? [
        ...Array.from({ length: counted.talking }, () => "talking" as const),
        ...Array.from({ length: counted.ringing }, () => "ringing" as const),
        ...Array.from({ length: Math.max(0, limit - snapshot.active_calls) }, () => "free" as const),
      ]
    : Array.from({ length: highest }, (_, at) => phaseOf(byNumber.get(at + 1)))
  const counts = words.map((word) => ({ word, value: phases.filter((phase) => phase === word).length }))
  const sentence = counts.map(({ value, word }) => `${word} ${value}`).join(", ")
  return (
    <Panel
      className="SlotsNow"
      title="Slots"
      aside={
        mayChange &&
        !isChanging && (
          // The closed form had the focus, which returns to the button that opened it.
          <Button size="row" autoFocus={form === "closed"} onPress={() => setForm("open")}>
            Change {limit}
          </Button>
        )
      }
    >
      {isChanging && <ChangeSlots campaign={campaign} onDone={() => setForm("closed")} />}
      <div className={`SlotsNow-figure ${highest > mostArcs ? "SlotsNow-many" : ""}`}>
        <div className="SlotsNow-ring">
          <SlotRing phases={phases.slice(0, mostArcs)} sentence={`Slots: ${sentence}`} />
        </div>
        <div className="SlotsNow-strip" aria-hidden>
          {phases.map((phase, at) => (
            <span key={at} className={`SlotsNow-cell SlotsNow-${phase}`} />
          ))}
        </div>
        <p className="Legend SlotsNow-legend">
          {counts
            .filter(({ value }) => value > 0)
            .map(({ value, word }) => (
              <span key={word} className="Legend-entry">
                <span className={`Legend-fill SlotsNow-${word}`} />
                {word} {value}
              </span>
            ))}
        </p>
      </div>
    </Panel>
  )
}

const ChangeSlots = ({ campaign, onDone }: { readonly campaign: OpenCampaign; readonly onDone: () => void }) => {
  const { update } = useCampaignActs()
  const pulse = useAccountPulse()
  const [typed, setTyped] = useState(String(campaign.max_concurrent_calls))
  const before = campaign.max_concurrent_calls
  const left = pulse === undefined ? undefined : pulse.slots.left + (campaign.status === "running" ? before : 0)
  const save = () =>
    update.mutate(
      { id: campaign.id, max_concurrent_calls: Number(typed) },
      {
        onSuccess: ({ max_concurrent_calls }) => {
          onDone()
          notice({
            text: `${campaign.name} has ${max_concurrent_calls} slots.`,
            act: { word: "Undo", onAct: () => update.mutate({ id: campaign.id, max_concurrent_calls: before }) },
          })
        },
      },
    )
  return (
    <form
      className="SlotsNow-change"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Field
        label="Slots"
        type="number"
        value={typed}
        onChange={setTyped}
        autoFocus
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone()
          else event.continuePropagation()
        }}
        hint={left === undefined ? undefined : `Up to ${left}; other campaigns hold the rest.`}
      />
      <div className="SlotsNow-acts">
        <Button type="submit" look="primary" size="row" isDisabled={!/^[1-9]\d{0,6}$/.test(typed) || update.isPending}>
          Save
        </Button>
        <Button size="row" onPress={onDone}>
          Cancel
        </Button>
      </div>
      {update.isError && <ProblemLine problem={problemOf(update.error)} />}
    </form>
  )
}
