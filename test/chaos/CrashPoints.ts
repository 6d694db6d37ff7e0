/** The points at which a process kills itself: the begin and the end of each span on a call's way. */
import type { Dice } from "./Dice.ts"
import type { Beginning } from "./History.ts"

/** In the order in which a call passes them, followed by those that only some calls pass. */
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
  "OfferRows.add",
  "OfferIntake.decide",
  "OfferRows.accept",
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
  "OfferRows.withdraw",
  "Ownership.takeOver",
  "HandOuts.look",
  "HandOuts.takeBack",
  "OfferRows.refuse",
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

/** Spans that begin once in a process and never end, or that a process rarely passes. */
const rare = new Set<string>([
  ...[
    "Dialer.run",
    "Opening.open",
    "Calls.recover",
    "CallRecovery.takeOverLost",
    "OfferRows.withdraw",
    "OfferRows.refuse",
    "Ownership.takeOver",
    "Recovery.recover",
  ],
  ...["Campaigns.markRunning", "Campaigns.markPaused", "Campaigns.end", "ContactImport.run", "Calls.hangUp"],
])

/** Spans that only calls over one carrier pass. */
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

/** Returns every point in turn, in an order drawn by dice. The pass at which the process dies is drawn too. */
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
