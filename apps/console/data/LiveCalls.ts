/** A campaign's calls in progress, each in a fixed slot. An ended call stays for a moment. */
import { replaceEqualDeep } from "@tanstack/react-query"
import { useState } from "react"
import { useNow } from "../shell/Clock.ts"
import type { CampaignView } from "./LiveViews.ts"

export type LiveCall = CampaignView["calls"][number]

export interface Slot {
  /** From 1. */
  readonly number: number
  readonly call: LiveCall
  /** When the call was no longer in progress. */
  readonly endedAt: number | undefined
}

/** Milliseconds for which a row shows its call's end, unless a new call takes the slot earlier. */
const endShown = 4_000

/**
 * A call keeps its slot. A new call takes the lowest slot that is free or whose call has ended. Entries that have not
 * changed keep their identity.
 */
export const assignSlots = (
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

/** The slots of a campaign's calls in progress, drawn in the same pass as the other figures of their view. */
export const useSlots = (calls: ReadonlyArray<LiveCall>): ReadonlyArray<Slot> => {
  const now = useNow().getTime()
  const [shown, setShown] = useState(() => ({ calls, now, slots: assignSlots([], calls, now) }))
  const isSomeEnding = shown.slots.some(({ endedAt }) => endedAt !== undefined)
  if (shown.calls === calls && (shown.now === now || !isSomeEnding)) return shown.slots
  const slots = assignSlots(shown.slots, calls, now)
  setShown({ calls, now, slots })
  return slots
}
