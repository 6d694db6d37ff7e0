/**
 * The order of test files. Those that take twenty seconds or more come first, so that no worker begins one when the
 * others have finished. Without its cache, as in a fresh clone, vitest orders files by size.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const slow = [
  ...["calls/live/WarmTransfer", "telephony/twilio/TwilioStreams", "telephony/twilio/TwilioRecovery"],
  ...["telephony/telnyx/TelnyxStreams", "telephony/telnyx/TelnyxRecovery", "decisions/takeovers"],
  ...["cluster/Placement", "offload/EventLoop", "cli/Parley", "calls/callers/Registrations"],
  ...["recording/RecordedCalls", "archive/Move", "console/LiveFigures", "tools/sandbox/Escapes"],
  ...["decisions/carriers", "decisions/running", "telephony/sip/SipCarrier", "phone/Baresip"],
  ...["decisions/widget-voice", "calls/callers/BadCallers", "tools/sandbox/Snapshot", "http/DocsSamples"],
  ...["cli/RotateKey", "journeys/demo", "console/Phone", "tools/sandbox/Sandbox", "events/Takeover"],
  ...["decisions/listening", "tenancy/UnfinishedAccounts", "decisions/live-words", "monitor/Monitor"],
  ...["phone/EarlySound", "events/Crash", "http/edge/Bodies", "console/Story", "console/Viewer"],
  ...["decisions/campaigns", "widget/Voice", "tenancy/RestoreDrill", "spec/6-events", "console/LongLists"],
  ...["decisions/stream", "rpc/SocketBounds", "calls/callers/TrunkCallers", "http/Fuzz", "decisions/standing"],
  ...["decisions/widget-chat", "decisions/pacing", "console/SignIn", "rpc/Fuzz", "decisions/lab"],
  ...["model/histories-b", "decisions/deliveries", "phone/Killed", "tools/sandbox/Abandoned", "spec/3-states"],
  ...["model/histories-a", "rpc/LiveViews", "campaigns/Recovery", "http/edge/SlowReaders", "events/Courier"],
  ...["decisions/preflight", "decisions/draining", "console/Stream", "console/Agents", "http/edge/RequestTarget"],
  ...["decisions/python-tools"],
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
