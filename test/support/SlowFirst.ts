/**
 * The order of test files: those that take half a minute or more come first, so that no worker begins one while the others
 * are done. Without vitest's cache, as in a fresh clone, its own order is by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["tools/sandbox/Sandbox", "telephony/twilio/TwilioRecovery", "telephony/twilio/TwilioStreams"],
  ...["tools/sandbox/Escapes", "offload/EventLoop", "decisions/running", "cluster/Placement"],
  ...["telephony/sip/SipCarrier", "decisions/carriers", "calls/callers/BadCallers", "journeys/demo"],
  ...["console/LiveFigures", "decisions/widget-voice", "console/Phone", "recording/RecordedCalls"],
  ...["model/histories-a", "model/histories-b", "tools/sandbox/Snapshot", "events/Takeover", "decisions/live-words"],
  ...["events/Crash", "http/edge/Bodies", "console/Viewer", "decisions/campaigns", "console/SignIn"],
  ...["http/DocsSamples", "widget/Voice", "spec/6-events"],
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
