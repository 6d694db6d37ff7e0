/** The points at which a process kills itself: the names of the spans on the way of a call, before the first thing and after the last. */
import type { Dice } from "./Dice.ts"
import type { Beginning } from "./History.ts"

/** In the order in which a call passes them, and then what only some calls pass. */
const spans = [
  "Opening.open",
  "Dialer.run",
  "DialTransaction.runPass",
  "BudgetLock.lockBudget",
  "Campaigns.endFinished",
  "Admission.admit",
  "DialQueue.candidates",
  "DialQueue.skip",
  "CallLog.intend",
  "DialQueue.claim",
  "Calls.conduct",
  "CallSession.run",
  "Telephony.dial",
  "Twilio.create",
  "CarrierCalls.findTaken",
  "CarrierCallbacks.twilio",
  "Telnyx.create",
  "CarrierCallbacks.telnyx",
  "CarrierCalls.tell",
  "CallLog.advance",
  "Conversation.hold",
  "Twilio.close",
  "Telnyx.close",
  "Sip.close",
  "CallWriter.end",
  "CallLog.end",
  "ContactSettlement.settle",
  "Calls.recover",
  "CallRecovery.takeOverLost",
  "Ownership.takeOver",
  "Recovery.recover",
  "Calls.place",
  "Calls.hangUp",
  "Schedule.startDue",
  "Campaigns.markRunning",
  "Campaigns.markPaused",
  "Campaigns.end",
  "CampaignControl.update",
  "ContactImport.run",
] as const

/** Spans that begin once in a process and never end, or that a process passes only now and then. */
const rare = new Set<string>([
  ...[
    "Dialer.run",
    "Opening.open",
    "Calls.recover",
    "CallRecovery.takeOverLost",
    "Ownership.takeOver",
    "Recovery.recover",
  ],
  ...["Campaigns.markRunning", "Campaigns.markPaused", "Campaigns.end", "ContactImport.run", "Calls.hangUp"],
])

/** Spans of one carrier alone, which calls over another never pass. */
const ofCarrier: Record<string, Beginning["carrier"]> = {
  "Twilio.create": "twilio",
  "Twilio.close": "twilio",
  "CarrierCallbacks.twilio": "twilio",
  "CarrierCalls.findTaken": "twilio",
  "Telnyx.create": "telnyx-stream",
  "Telnyx.close": "telnyx-stream",
  "CarrierCallbacks.telnyx": "telnyx-stream",
  "Sip.close": "sip",
}

/** Every point in turn, in an order of the dice; how often it is passed before the end differs. */
export const cycle = (dice: Dice, carrier: Beginning["carrier"]): (() => string) => {
  const own = carrier === "twilio-stream" ? "twilio" : carrier
  const passed = spans.filter((span) => (ofCarrier[span] ?? own) === own)
  const points = passed.flatMap((span) => ["begin", "end"].map((moment) => `${span} ${moment}`))
  let left: Array<string> = []
  return () => {
    if (left.length === 0) left = points.toSorted(() => dice.roll() - 0.5)
    const point = left.pop() ?? ""
    const [span = ""] = point.split(" ")
    return `${point} ${rare.has(span) ? dice.whole(1, 2) : dice.whole(1, 6)}`
  }
}
