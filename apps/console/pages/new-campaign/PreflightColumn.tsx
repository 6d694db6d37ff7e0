/** A forecast of the draft if it started now: its end, its calls, and the contacts left out. Follows every change. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { ForecastCurve } from "../../figures/ForecastCurve.tsx"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { useNow } from "../../shell/Clock.ts"
import { Failed } from "../../ui/Failed.tsx"
import { Field } from "../../ui/Field.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count, counted, share } from "../../words/Figures.ts"
import { endWords, limitWords } from "../../words/Forecasts.ts"
import { spendSentence } from "../../words/SpendCaps.ts"
import { duration, secondsBetween } from "../../words/Times.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import { type Assumed, usePreflight, usual } from "./Preflights.ts"
import "./PreflightColumn.css"

type Report = Outputs["campaigns"]["preflight"]

export const PreflightColumn = ({ campaign }: { readonly campaign: OpenCampaign }) => {
  const [assumed, setAssumed] = useState(usual)
  const [isChanging, setChanging] = useState(false)
  const { data, error, isFetching, refetch } = usePreflight(campaign.id, assumed)
  // A change of the draft changes the answer but not the query's input, so refetch on each new ETag.
  useQuery({
    queryKey: ["preflight of", campaign.etag],
    queryFn: async () => (await refetch()).status,
    enabled: data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data === undefined) {
    return (
      <Panel title="If you start now">
        {error === null ? (
          <Loading label="What it would come to" />
        ) : (
          <Failed what="The preflight" error={error} onRetry={refetch} />
        )}
      </Panel>
    )
  }
  const { do_not_call, no_consent, outside_window, rule } = data.skipped
  const skipped = [
    { word: "On the do-not-call list", value: do_not_call },
    { word: "No consent as the campaign requires it", value: no_consent },
    { word: "Hours never open, or no time zone can be told", value: outside_window },
    { word: "A rule pack never permits the call", value: rule },
  ].filter(({ value }) => value > 0)
  return (
    <>
      <Panel title={campaign.scheduled_at === null ? "If you start now" : "If it starts as planned"} aside="simulated">
        <PanelBody>
          <Forecast report={data} isOld={isFetching} />
        </PanelBody>
      </Panel>
      {skipped.length > 0 && (
        <Panel title={`${count(do_not_call + no_consent + outside_window + rule)} will not be called`}>
          <ul className="Preflight-skipped">
            {skipped.map(({ value, word }) => (
              <li key={word}>
                <OutcomeGlyph of="skipped" />
                <span>{word}</span>
                <strong>{count(value)}</strong>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {data.quiet_period.put_off > 0 && (
        <p className="second-line">
          {counted(data.quiet_period.put_off, "contact")} answered a call too recently, or would, and{" "}
          {data.quiet_period.put_off === 1 ? "is" : "are"} called later.
        </p>
      )}
      <p className="second-line Preflight-assumes">
        Assumes that {share(assumed.answer_rate * 100, 100)} answer, {share(assumed.voicemail_rate * 100, 100)} go to
        voicemail, {assumed.average_call_seconds} s a call.{" "}
        {!isChanging && (
          <button type="button" className="Preflight-change" onClick={() => setChanging(true)}>
            Change
          </button>
        )}
      </p>
      {isChanging && <Assumptions assumed={assumed} onChange={setAssumed} />}
    </>
  )
}

const Forecast = ({ isOld, report }: { readonly report: Report; readonly isOld: boolean }) => {
  const zone = useZone()
  const now = useNow()
  const { attempts, budget, calls_per_hour, contacts, duration_seconds, forecast, slots, spend_caps, starting_at } =
    report
  const from = new Date(starting_at)
  const end = endWords(forecast, now, zone)
  const limit = limitWords(forecast, now, zone)
  const hour = 3600
  const points = [
    { at: 0, value: 0 },
    ...calls_per_hour.flatMap(({ at, calls }, index) => {
      const before = calls_per_hour.slice(0, index).reduce((sum, earlier) => sum + earlier.calls, 0)
      // The buckets are hours of the clock, so the first one began before the campaign.
      const onTheHour = secondsBetween(from, new Date(at))
      const begins = Math.max(0, onTheHour)
      const ends = Math.min(onTheHour + hour, duration_seconds ?? onTheHour + hour)
      // The line is flat between hours with calls.
      return [
        { at: begins, value: before },
        { at: ends, value: before + calls },
      ]
    }),
  ]
  const most = Math.max(...calls_per_hour.map(({ calls }) => calls), 0)
  const rows = [
    { word: "Calls to place", value: count(attempts) },
    { word: "Calls an hour, at most", value: count(most) },
    { word: "Slots used, on average", value: `${slots.average.toFixed(1)} of ${slots.limit}` },
    { word: "Reached, expected", value: count(contacts.completed) },
  ]
  return (
    <>
      <p className={isOld ? "Preflight-old" : ""}>
        {end === undefined ? (
          <span className="panel-title">{`It would not end within a year${limit && `, ${limit}`}.`}</span>
        ) : (
          <>
            <span className="figure">{end}</span> <span className="unit">{`expected end${limit && `, ${limit}`}`}</span>
          </>
        )}
      </p>
      {duration_seconds !== null && forecast.limited_by !== "spend_cap" && (
        <p className="second-line">
          {duration(duration_seconds)} for {counted(contacts.considered, "contact")} at {counted(slots.limit, "slot")}
        </p>
      )}
      {points.length > 1 && duration_seconds !== null && forecast.limited_by !== "spend_cap" && (
        <ForecastCurve
          points={points}
          sentence={`${counted(attempts, "call")} in ${duration(duration_seconds)}`}
          top={counted(attempts, "call")}
          end={`+${duration(duration_seconds)}`}
        />
      )}
      <dl className="Preflight-rows">
        {rows.map(({ value, word }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {spend_caps
        .filter(({ warning }) => warning !== null)
        .map((cap) => (
          <p key={cap.cap} className="second-line Preflight-budget">
            {spendSentence(cap, attempts)}
          </p>
        ))}
      {!budget.fits && (
        <p className="second-line Preflight-budget">
          It could not start now: {budget.requested} slots asked, {Math.max(0, budget.concurrent_max - budget.in_use)}{" "}
          left.
        </p>
      )}
    </>
  )
}

interface AssumptionsProps {
  readonly assumed: Assumed
  readonly onChange: (assumed: Assumed) => void
}

const Assumptions = ({ assumed, onChange }: AssumptionsProps) => {
  const percent = (text: string) => Math.min(Math.max(Number(text) || 0, 0), 100) / 100
  return (
    <div className="Preflight-form">
      <Field
        label="Answer, %"
        type="number"
        value={String(Math.round(assumed.answer_rate * 100))}
        onChange={(text) => onChange({ ...assumed, answer_rate: Math.min(percent(text), 1 - assumed.voicemail_rate) })}
      />
      <Field
        label="Voicemail, %"
        type="number"
        value={String(Math.round(assumed.voicemail_rate * 100))}
        onChange={(text) => onChange({ ...assumed, voicemail_rate: Math.min(percent(text), 1 - assumed.answer_rate) })}
      />
      <Field
        label="Seconds a call"
        type="number"
        value={String(assumed.average_call_seconds)}
        onChange={(text) => onChange({ ...assumed, average_call_seconds: Math.min(Number(text) || 0, 14_400) })}
      />
    </div>
  )
}
