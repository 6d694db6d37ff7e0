/** The built-in tools by name (decisions §2, Tool): each runs inside the platform. */
import { Schema } from "effect"
import { BuiltInTool } from "../../domain/Tool.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import { collectDigits } from "./collectDigits.ts"
import { getCurrentTime } from "./getCurrentTime.ts"
import { lookupFaq } from "./lookupFaq.ts"
import { addToDoNotCall, recordOutcome } from "./notes.ts"
import { endCall, leaveVoicemail, pauseRecording, resumeRecording, sendDtmf, transferCall } from "./onTheLine.ts"
import { scheduleCallback } from "./scheduleCallback.ts"
import { switchLanguage } from "./switchLanguage.ts"

const byName: Record<BuiltInTool, BuiltIn> = {
  end_call: endCall,
  transfer_call: transferCall,
  send_dtmf: sendDtmf,
  collect_digits: collectDigits,
  lookup_faq: lookupFaq,
  get_current_time: getCurrentTime,
  record_outcome: recordOutcome,
  schedule_callback: scheduleCallback,
  add_to_do_not_call: addToDoNotCall,
  leave_voicemail: leaveVoicemail,
  pause_recording: pauseRecording,
  resume_recording: resumeRecording,
  switch_language: switchLanguage,
}

const isBuiltIn = Schema.is(BuiltInTool)

export const builtIn = (name: string): BuiltIn | undefined => (isBuiltIn(name) ? byName[name] : undefined)
