/**
 * Built-in tools that act on the call itself: end_call, transfer_call, send_dtmf, leave_voicemail, pause_recording,
 * resume_recording.
 */
import { Effect, type Schema } from "effect"
import { isE164 } from "../../domain/E164.ts"
import { isObject, textIn } from "../../domain/JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

export const endCall: BuiltIn = (args, { controls }) => {
  const reason = textIn(args, "reason") ?? "the conversation is over"
  return Effect.as(controls.end(reason), { status: "ending", reason })
}

/**
 * Transfers to `to` of the arguments, else to `to` of the tool's settings for the agent. Only numbers in the settings
 * (`to`, `allowed`) are dialled: a model wrote the arguments, and the caller may have chosen them.
 */
export const transferCall: BuiltIn = (args, { config, controls }) => {
  const usual = textIn(config, "to")
  const others = Array.isArray(config["allowed"]) ? config["allowed"] : []
  const allowed = usual === undefined ? others : [usual, ...others]
  if (allowed.length === 0) {
    return new ToolFailed({
      code: "transfer_not_configured",
      reason:
        "This agent may not transfer calls yet: its transfer_call has no number. " +
        "Set `to`, or a list `allowed`, in the tool's config for this agent",
    })
  }
  const target = textIn(args, "to") ?? usual
  if (target === undefined) {
    return new ToolFailed({
      code: "no_target",
      reason: "No number to transfer to: give `to`, or set `to` in the tool's config for this agent",
    })
  }
  if (!isE164(target)) {
    return new ToolFailed({ code: "invalid_target", reason: "to must be an E.164 number such as +14155550132" })
  }
  if (!allowed.includes(target)) {
    return new ToolFailed({
      code: "target_not_allowed",
      reason: "This agent may not transfer to that number; leave `to` out, or give one that you were told",
    })
  }
  const warm = isWarm(config["mode"], target)
    ? { reason: textIn(args, "reason") ?? "", music: config["music"] !== false }
    : null
  return Effect.as(controls.transfer(target, warm), { status: "transferring", to: target })
}

/** `"warm"` for every number, or an object with the mode of each. */
const isWarm = (mode: Schema.Json | undefined, target: string): boolean =>
  mode === "warm" || (isObject(mode) && mode[target] === "warm")

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

export const pauseRecording: BuiltIn = (_, { controls }) =>
  Effect.map(controls.pauseRecording(true), (isRecorded) => ({ status: isRecorded ? "paused" : "not_recorded" }))

export const resumeRecording: BuiltIn = (_, { controls }) =>
  Effect.map(controls.pauseRecording(false), (isRecorded) => ({ status: isRecorded ? "recording" : "not_recorded" }))
