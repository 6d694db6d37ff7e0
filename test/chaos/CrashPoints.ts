/** Where a process dies by itself: the names of the spans on the way of a call, before the first thing and after the last. */
import type { Dice } from "./Dice.ts"

/** In the order in which a call passes them. */
export const spans = [
  "Dialer.run",
  "DialTransaction.take",
  "CampaignBudget.lock",
  "Campaigns.endFinished",
  "Admission.admit",
  "DialQueue.candidates",
  "DialQueue.skip",
  "CallLog.intend",
  "DialQueue.claimed",
  "Calls.conduct",
  "CallSession.run",
  "Telephony.dial",
  "CallLog.advance",
  "Conversation.hold",
  "CallLog.end",
  "ContactSettlement.settle",
  "Calls.recover",
  "CallRecovery.lost",
  "Recovery.recover",
  "Calls.place",
  "Calls.hangUp",
  "Schedule.startDue",
  "CampaignControl.start",
  "CampaignControl.pause",
  "CampaignControl.stop",
  "ContactImport.run",
] as const

/** Spans that begin once in a process and never end, or that a process passes only now and then. */
const rare = new Set<string>(["Dialer.run", "Calls.recover", "CallRecovery.lost", "Recovery.recover"])

/** Every point in turn, in an order of the dice; how often it is passed before the end differs. */
export const cycle = (dice: Dice): (() => string) => {
  const points = spans.flatMap((span) => ["begin", "end"].map((moment) => `${span} ${moment}`))
  let left: Array<string> = []
  return () => {
    if (left.length === 0) left = points.toSorted(() => dice.roll() - 0.5)
    const point = left.pop() ?? ""
    const [span = ""] = point.split(" ")
    return `${point} ${rare.has(span) ? dice.whole(1, 2) : dice.whole(1, 12)}`
  }
}
