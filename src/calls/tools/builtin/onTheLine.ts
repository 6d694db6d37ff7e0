/** Built-in tools that act on the call itself: end_call, transfer_call, send_dtmf, leave_voicemail. */
import { Effect } from "effect"
import { isE164 } from "../../../domain/E164.ts"
import { textIn } from "../../JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

export const endCall: BuiltIn = (args, { controls }) => {
  const reason = textIn(args, "reason") ?? "the conversation is over"
  return Effect.as(controls.end(reason), { status: "ending", reason })
}

/** To the number in the arguments, else to the one in the tool's settings for the agent. */
export const transferCall: BuiltIn = (args, { config, controls }) => {
  const target = textIn(args, "to") ?? textIn(config, "to")
  if (target === undefined) {
    return new ToolFailed({
      code: "no_target",
      reason: "No number to transfer to: give `to`, or set `to` in the tool's config for this agent",
    })
  }
  if (!isE164(target)) {
    return new ToolFailed({ code: "invalid_target", reason: "to must be an E.164 number such as +14155550132" })
  }
  return Effect.as(controls.transfer(target), { status: "transferring", to: target })
}

export const sendDtmf: BuiltIn = (args, { controls }) => {
  const digits = textIn(args, "digits") ?? ""
  if (!/^[0-9A-D*#w]{1,32}$/u.test(digits)) {
    return new ToolFailed({ code: "invalid_digits", reason: "digits must be 1 to 32 of 0-9, A-D, *, # and w" })
  }
  return Effect.as(controls.sendDigits(digits), { status: "sent", digits })
}

export const leaveVoicemail: BuiltIn = (args, { config, controls }) => {
  const message = textIn(args, "message") ?? textIn(config, "message") ?? null
  return Effect.as(controls.leaveVoicemail(message), { status: "leaving", message })
}
