/** The facts beside the transcript: the call's result, speed and cost, and why it was dialled. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Fragment } from "react"
import { useAccount } from "../../data/Account.tsx"
import { beat, type Outputs } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count, counted, money, ordinal } from "../../words/Figures.ts"
import { inSeconds, length } from "../../words/Times.ts"
import { decisionOf } from "../campaign/Decision.ts"
import { isLive, type OpenCall, toWords } from "./Call.ts"
import { AnsweredBy } from "./AnsweredBy.tsx"
import { CallDisposition } from "./CallDisposition.tsx"
import { CallNotes } from "./CallNotes.tsx"
import { CallResult } from "./CallResult.tsx"
import { DirectDecision } from "./DirectDecision.tsx"
import { Disclosed } from "./Disclosed.tsx"
import { Facts, type Fact } from "./Facts.tsx"
import { Listeners } from "./Listeners.tsx"
import { Sound } from "./Sound.tsx"
import { Transfers } from "./Transfers.tsx"
import { aim, type Timing as Timings, timingOf, wordOf } from "./Timeline.ts"
import "../../figures/Legend.css"
import "./Transcript.css"
import "./CallFacts.css"

export const CallFacts = ({ call }: { readonly call: OpenCall }) => (
  <div className="CallFacts-column">
    <CallDisposition call={call} />
    <CallResult call={call} />
    <CallNotes call={call} />
    {call.answered_by !== null && <AnsweredBy answeredBy={call.answered_by} />}
    {(call.disclosure !== null || call.opt_out !== null) && <Disclosed call={call} />}
    {call.turns.length > 0 && <Timing call={call} />}
    {call.sound !== null && <Sound sound={call.sound} />}
    {call.transfers.length > 0 && <Transfers transfers={call.transfers} />}
    <Listeners listeners={call.listeners} takeovers={call.takeovers} />
    {!isLive(call) && <CostOf call={call} />}
    <WhyDialled call={call} />
  </div>
)

const Timing = ({ call }: { readonly call: OpenCall }) => {
  const { firstWord, interruptions, longest, median, silencedAfter, spent } = timingOf(call)
  const facts: ReadonlyArray<Fact> = [
    ...(firstWord === undefined ? [] : [{ label: "Answer to first word", value: inSeconds(firstWord) }]),
    ...(median === undefined ? [] : [{ label: "Silence, median", value: inSeconds(median) }]),
    ...(longest === undefined
      ? []
      : [
          {
            label: "Silence, longest",
            value: (
              <Link
                to="."
                search={{ t: Math.floor(longest.at / 1000) }}
                replace
                resetScroll={false}
                className={longest.ms > aim ? "CallFacts-over" : ""}
              >
                {inSeconds(longest.ms)} at {length(Math.floor(longest.at / 1000))}
              </Link>
            ),
          },
        ]),
    { label: "Interruptions", value: interruptions },
    ...(silencedAfter === undefined ? [] : [{ label: "Then silent within", value: inSeconds(silencedAfter) }]),
  ]
  return (
    <Panel title="Timing">
      <PanelBody>
        <Facts facts={facts} />
        {spent.length > 0 && <Spent spent={spent} />}
      </PanelBody>
    </Panel>
  )
}

/** The parts of the average silence before an answer, as a bar and in words. */
const Spent = ({ spent }: { readonly spent: Timings["spent"] }) => (
  <>
    <p className="label CallFacts-spent-title">Where the silence goes, on average</p>
    <div className="CallFacts-spent" aria-hidden>
      {spent.map(({ ms, part }) => (
        <span key={part} className={`Transcript-of-${part}`} style={{ flexGrow: ms }} />
      ))}
    </div>
    <dl className="CallFacts">
      {spent.map(({ ms, part }) => (
        <Fragment key={part}>
          <dt className="Legend-entry">
            <span className={`Legend-fill Transcript-of-${part}`} />
            {wordOf[part]}
          </dt>
          <dd>{inSeconds(ms)}</dd>
        </Fragment>
      ))}
    </dl>
  </>
)

const CostOf = ({ call: { cost, duration_seconds, turns } }: { readonly call: OpenCall }) => {
  const tokens = turns.reduce((sum, { tokens_in = 0, tokens_out = 0 }) => sum + tokens_in + tokens_out, 0)
  const minutes = Math.ceil((duration_seconds ?? 0) / 60)
  const words: Record<string, string> = {
    telephony: minutes === 0 ? "Carrier" : `Carrier, ${minutes} min`,
    brain: tokens === 0 ? "Model" : `Model, ${count(tokens)} tokens`,
    recogniser: "Speech to text",
    voice: "Text to speech",
  }
  const labelOf = (part: string) => words[part] ?? toWords(part)
  const facts = [
    ...Object.entries(cost.parts).map(([part, amount]) => ({
      label: labelOf(part),
      value: money(amount, cost.currency),
    })),
    ...(cost.not_priced ?? []).map((part) => ({ label: labelOf(part), value: "no price" })),
  ]
  return (
    <Panel title="Cost" aside={<strong className="CallFacts-sum">{money(cost.amount, cost.currency)}</strong>}>
      <PanelBody>{facts.length === 0 ? <p className="quiet">No charges.</p> : <Facts facts={facts} />}</PanelBody>
    </Panel>
  )
}

type Contact = Outputs["campaigns"]["contacts"]["get"]

const why = {
  inbound: "They called one of your numbers.",
  web: "A visitor began it from one of your pages.",
  outbound: "It was asked for directly, from the console or over the API.",
} as const

const WhyDialled = ({ call }: { readonly call: OpenCall }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const { campaign_id, contact_id, direction } = call
  const isOfCampaign = campaign_id !== null && contact_id !== null
  const attemptIn = (contact: Contact | undefined) => contact?.attempt_log.find(({ call_id }) => call_id === call.id)
  const { data } = useQuery(
    rpc.campaigns.contacts.get.queryOptions(
      { campaign_id: campaign_id ?? "", contact_id: contact_id ?? "" },
      {
        enabled: isOfCampaign,
        staleTime: Number.POSITIVE_INFINITY,
        // The receipt comes some seconds after the dial.
        refetchInterval: ({ state }) => (attemptIn(state.data)?.receipt === null ? beat * 5 : false),
      },
    ),
  )
  if (isOfCampaign && data === undefined) return null
  const attempt = attemptIn(data)
  const decision = decisionOf(attempt?.decision)
  return (
    <Panel title={direction === "outbound" ? "Why this number" : "Where it came from"}>
      <PanelBody>
        <p className="second-line">
          {data === undefined || !isOfCampaign ? (
            why[direction]
          ) : (
            <>
              {ordinal(attempt?.number ?? 1)} attempt at row {count(data.position)}. Not on the do-not-call list
              {decision?.slots !== undefined &&
                `, ${counted(decision.slots.limit - decision.slots.used, "slot")} of ${decision.slots.limit} free`}
              .{" "}
              <Link
                to="/$account/campaigns/$id/contacts"
                params={{ account: slug, id: campaign_id }}
                search={{ contact: contact_id, ...(attempt !== undefined && { attempt: attempt.id }) }}
              >
                See the decision
              </Link>
            </>
          )}
        </p>
        {call.decision !== undefined && <DirectDecision call={call} />}
        {attempt !== undefined && <ReceiptOf receipt={attempt.receipt} />}
      </PanelBody>
    </Panel>
  )
}

/** The proof that the decision was not changed afterwards, and where it is verified. */
const ReceiptOf = ({ receipt }: Pick<Contact["attempt_log"][number], "receipt">) => {
  const { slug } = useAccount()
  return (
    <p className="second-line CallFacts-receipt">
      {receipt === null ? (
        "The decision is not sealed yet."
      ) : (
        <>
          Receipt {count(receipt.seq)} in seal {count(receipt.seal)}.{" "}
          <Link to="/$account/receipts" params={{ account: slug }}>
            How to verify it
          </Link>
        </>
      )}
    </p>
  )
}
