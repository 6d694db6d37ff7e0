/**
 * The order of test files: those that take half a minute or more come first, so that no worker begins one while the others
 * are done. Without vitest's cache, as in a fresh clone, its own order is by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["calls/live/WarmTransfer", "telephony/twilio/TwilioRecovery", "telephony/twilio/TwilioStreams"],
  ...["offload/EventLoop", "tools/sandbox/Escapes", "calls/callers/BadCallers", "console/LiveFigures"],
  ...["cluster/Placement", "cli/Parley", "calls/callers/Registrations", "tools/sandbox/Sandbox", "decisions/carriers"],
  ...["decisions/widget-voice", "journeys/demo", "phone/Baresip", "events/Takeover", "decisions/running"],
  ...["recording/RecordedCalls", "telephony/sip/SipCarrier", "cli/RotateKey", "decisions/listening"],
  ...["decisions/live-words", "events/Crash", "http/DocsSamples", "console/Phone", "tools/sandbox/Snapshot"],
  ...["http/edge/Bodies", "monitor/Monitor", "tenancy/RestoreDrill", "console/Viewer", "spec/6-events"],
  ...["decisions/stream", "http/edge/SlowReaders", "decisions/pacing", "widget/Voice", "tools/sandbox/Abandoned"],
  ...["events/Courier", "phone/EarlySound", "telephony/NumberCheck", "calls/callers/TrunkCallers"],
  ...["model/histories-a", "model/histories-b"],
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
