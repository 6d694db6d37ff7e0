/**
 * The order of test files: those that take half a minute or more come first, so that no worker begins one while the others
 * are done. Without vitest's cache, as in a fresh clone, its own order is by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["calls/live/WarmTransfer", "tools/sandbox/Escapes", "telephony/twilio/TwilioRecovery", "offload/EventLoop"],
  ...["tools/sandbox/Sandbox", "telephony/twilio/TwilioStreams", "cluster/Placement", "calls/callers/BadCallers"],
  ...["decisions/running", "console/LiveFigures", "telephony/sip/SipCarrier", "decisions/carriers"],
  ...["recording/RecordedCalls", "decisions/widget-voice", "journeys/demo", "tenancy/RestoreDrill"],
  ...["http/DocsSamples", "events/Takeover", "decisions/live-words", "tools/sandbox/Snapshot", "decisions/listening"],
  ...["console/Phone", "model/histories-a", "model/histories-b", "events/Crash", "calls/callers/TrunkCallers"],
  ...["widget/Voice", "decisions/campaigns", "spec/6-events", "console/Story", "http/edge/Bodies", "console/Viewer"],
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? slow.length : rank
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
