/** The calls of a campaign that go on, each in a slot that it keeps; one that ended says so for a moment. */
import { replaceEqualDeep } from "@tanstack/react-query"
import { useSubscription } from "@trpc/tanstack-react-query"
import { useEffect, useState } from "react"
import type { Outputs } from "./AccountPulse.ts"
import { useIsWatched } from "./CampaignLive.ts"
import { drawSoon } from "./Gathered.ts"
import { useRpc } from "./Rpc.ts"

export type LiveCall = Outputs["calls"]["list"]["items"][number]

export interface Slot {
  /** From 1. */
  readonly number: number
  readonly call: LiveCall
  /** When it was no longer among those that go on. */
  readonly endedAt: number | undefined
}

/** As long as a row says how its call ended, unless the slot is wanted before. */
const endShown = 4_000

/** A call keeps its slot; a new one takes the lowest that is free, or that of a call that has ended. What is as before, is the same. */
export const assigned = (
  before: ReadonlyArray<Slot>,
  calls: ReadonlyArray<LiveCall>,
  now: number,
): ReadonlyArray<Slot> => {
  const byId = new Map(calls.map((call) => [call.id as string, call]))
  const kept = before.flatMap((slot): ReadonlyArray<Slot> => {
    const call = byId.get(slot.call.id)
    if (call !== undefined) return [replaceEqualDeep(slot, { ...slot, call, endedAt: undefined })]
    const endedAt = slot.endedAt ?? now
    return now - endedAt < endShown ? [replaceEqualDeep(slot, { ...slot, endedAt })] : []
  })
  const known = new Set(kept.map(({ call }) => call.id as string))
  const slots = new Map(kept.map((slot) => [slot.number, slot]))
  const fresh = calls
    .filter(({ id }) => !known.has(id))
    .toSorted((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at))
  for (const call of fresh) {
    let number = 1
    while (slots.has(number) && slots.get(number)?.endedAt === undefined) number++
    slots.set(number, { number, call, endedAt: undefined })
  }
  return [...slots.values()].toSorted((a, b) => a.number - b.number)
}

export const useLiveCalls = (campaign_id: string): ReadonlyArray<Slot> => {
  const rpc = useRpc()
  const isWatched = useIsWatched()
  const [slots, setSlots] = useState<ReadonlyArray<Slot>>([])
  useSubscription(
    rpc.calls.live.subscriptionOptions(
      { campaign_id },
      {
        enabled: isWatched,
        onData: ({ data: { items } }) =>
          drawSoon(campaign_id, () => setSlots((before) => assigned(before, items, Date.now()))),
      },
    ),
  )
  const isSomeEnding = slots.some(({ endedAt }) => endedAt !== undefined)
  useEffect(() => {
    if (!isSomeEnding) return undefined
    const timer = setInterval(
      () =>
        setSlots((before) =>
          assigned(
            before,
            before.flatMap(({ call, endedAt }) => (endedAt === undefined ? [call] : [])),
            Date.now(),
          ),
        ),
      1_000,
    )
    return () => clearInterval(timer)
  }, [isSomeEnding])
  return slots
}
