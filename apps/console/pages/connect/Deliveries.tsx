/** The deliveries of a webhook, newest first: the event's number, the response, and the count of attempts. */
import { Link } from "@tanstack/react-router"
import { useRef } from "react"
import { useZone } from "../../data/AccountPulse.ts"
import { useNow } from "../../shell/Clock.ts"
import { useListKeys } from "../../shell/ListKeys.ts"
import { Columns } from "../../ui/Columns.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count } from "../../words/Figures.ts"
import { clock, moment, utc } from "../../words/Times.ts"
import { answerOf, type Delivery, toneOf } from "./WebhookWords.ts"
import "../../ui/Table.css"

export interface DeliveriesProps {
  readonly items: ReadonlyArray<Delivery>
  readonly chosen: string | undefined
}

const columns = [
  { word: "No." },
  { word: "Event" },
  { word: "Answer" },
  { word: "Attempts", isFigure: true, isWide: true },
  { word: "Event at", isFigure: true, isWide: true },
]

export const Deliveries = ({ chosen, items }: DeliveriesProps) => {
  const zone = useZone()
  const now = useNow()
  const list = useRef<HTMLDivElement>(null)
  useListKeys(list)
  return (
    <div ref={list} className="Table-frame">
      <table className="Table" aria-label="Deliveries">
        <Columns columns={columns} />
        <tbody>
          {items.map((delivery) => {
            const { attempts, created_at, event_type, id, last_error, last_status_code, next_attempt_at, seq } =
              delivery
            const isGivenUp = delivery.status === "failed"
            return (
              <tr key={id} className="Table-row" aria-current={id === chosen ? "true" : undefined}>
                <td>
                  <Link
                    to="."
                    search={(before) => ({ ...before, delivery: id })}
                    className="Table-link quiet"
                    resetScroll={false}
                  >
                    {count(seq)}
                  </Link>
                </td>
                <td className="mono">{event_type}</td>
                <td>
                  <Tag tone={toneOf(last_status_code, last_error, isGivenUp)}>
                    {answerOf(last_status_code, last_error)}
                  </Tag>{" "}
                  <span className="label">
                    {isGivenUp
                      ? "given up"
                      : delivery.status === "pending" &&
                        (next_attempt_at === null || new Date(next_attempt_at) < now
                          ? "on its way"
                          : `next ${clock(new Date(next_attempt_at), zone)}`)}
                  </span>
                </td>
                <td className="Table-figure Table-wide">{attempts}</td>
                <td className="Table-figure second-line Table-wide">
                  <time dateTime={created_at} title={utc(new Date(created_at))}>
                    {moment(new Date(created_at), now, zone)}
                  </time>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
