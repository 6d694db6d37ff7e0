/**
 * The conductor of a talk: given an event and its time, returns the next state of the talk and the commands. Total and
 * pure: no clock, no effect. `begin` starts a talk when the call is answered, `step` handles every event, and `close`
 * ends the talk from outside.
 */
import type { EndReason } from "../domain/Call.ts"
import { hintedKindOf, type MachineKind, machineKindOf } from "../languages/MachineGreeting.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import type { Gone, Moment } from "../telephony/Telephony.ts"
import * as Announcement from "./Announcement.ts"
import * as Answered from "./Answered.ts"
import type { Command } from "./Command.ts"
import * as Floor from "./Floor.ts"
import * as Keypad from "./Keypad.ts"
import * as Menu from "./Menu.ts"
import * as Opening from "./Opening.ts"
import * as OptOut from "./OptOut.ts"
import * as PastTalk from "./PastTalk.ts"
import * as PersonTalk from "./PersonTalk.ts"
import * as Replies from "./Replies.ts"
import * as Screening from "./Screening.ts"
import * as Silence from "./Silence.ts"
import {
  atMoment,
  emit,
  isDrained,
  isFree,
  isSpeaking,
  isWhole,
  openTools,
  sentencesOf,
  start,
  wantsStep,
} from "./Talk.ts"
import type { Setup, Talk, Then } from "./Talk.ts"
import type { TalkEvent } from "./TalkEvent.ts"
import * as Thoughts from "./Thoughts.ts"
import type { TimerName } from "./Timers.ts"
import * as Tones from "./Tones.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as Transfers from "./Transfers.ts"
import * as Unworded from "./Unworded.ts"
import * as Voicemail from "./Voicemail.ts"
import * as Whispering from "./Whispering.ts"

type Next = readonly [Talk, ReadonlyArray<Command>]

/** `past`: the talk was begun in another process and goes on, without a greeting. */
export const begin = (setup: Setup, past?: PastTalk.Past): Talk =>
  past === undefined ? start(setup) : PastTalk.goOn(start(setup), past)

export const step = (talk: Talk, event: TalkEvent, moment: Moment): Next => {
  if (talk.ended !== null) return [talk, []]
  const now = atMoment(talk, moment)
  const after = Keypad.keepPrivate(advance(Floor.isHoldSound(now, event) ? now : handle(now, event)))
  return [after, after.out]
}

/**
 * Ends the talk from outside. Returns the commands that record what was heard until now, among it a wish not to be
 * called whose turn was not over yet.
 */
export const close = (talk: Talk, moment: Moment): ReadonlyArray<Command> => {
  if (talk.ended !== null) return []
  const heard = takeUnfinishedWish(atMoment(talk, moment))
  const { out } = OptOut.writeIfWish(Replies.cut(heard), heard.caller.owed?.text ?? "")
  return out.flatMap((command): ReadonlyArray<Command> => {
    if (command._tag === "OptOut") return [{ ...command, _tag: "NoteOptOut" }]
    return command._tag.startsWith("Note") ? [command] : []
  })
}

/** Handles an event. While a person talks in the agent's place, `PersonTalk` comes first. */
const handle = (talk: Talk, event: TalkEvent): Talk => {
  if (PersonTalk.isOfPerson(event)) return PersonTalk.onPerson(talk, event)
  if (event._tag === "HeardOut") return onHeardOut(talk)
  return (PersonTalk.isOn(talk) ? PersonTalk.onEvent(talk, event) : null) ?? handleForAgent(talk, event)
}

type AgentEvent = Exclude<TalkEvent, PersonTalk.PersonEvent | { readonly _tag: "HeardOut" }>

const handleForAgent = (talk: Talk, event: AgentEvent): Talk => {
  switch (event._tag) {
    case "SpeechStarted":
      return Floor.onSpeechStarted(talk, event.at)
    case "Words":
      return Floor.onWords(talk, event.text)
    case "SpeechEnded":
      return Floor.onSpeechEnded(talk, event.at)
    case "Utterance":
      return onUtterance(talk, event.text, event.started_ms, event.ended_ms)
    case "Misheard":
      return Floor.onMisheard(talk)
    case "Beep":
      return Tones.onBeep(talk, event.said)
    case "Tone":
      return Tones.onTone(talk, event.tone)
    case "Played":
      return Replies.onPlayed(talk, event.piece, event.started_ms, event.ended_ms)
    case "PeerHeld":
      return Floor.onPeerHeld(talk)
    case "PeerBack":
      return Floor.onPeerBack(talk)
    case "Key":
      return Keypad.onKey(talk, event.digit)
    case "Gone":
      return onGone(talk, event.how, event.hears === true)
    case "Voiced":
      return Replies.onVoiced(talk, event)
    case "Silenced":
      return Floor.onSilenced(talk, event.at)
    case "FirstToken":
    case "Said":
    case "Speaks":
    case "Called":
    case "Used":
    case "Farewell":
    case "StepEnded":
    case "StepFailed":
      return Thoughts.onThought(talk, event)
    case "Ordered":
      return ToolCalls.onOrdered(talk, event.call, event.order)
    case "Resulted":
      return ToolCalls.onResulted(talk, event.call, event.answer)
    case "Heard":
    case "Understood":
    case "Worded":
    case "ModelLost":
      return Unworded.handle(talk, event, onWorded)
    case "OptedOut":
      return OptOut.onOptedOut(talk)
    case "Transferred":
      return Transfers.onTransferred(talk, event)
    case "Bridged":
      return Transfers.onBridged(talk)
    case "Whispered":
      return Whispering.onWhispered(talk, event)
    case "Due":
      return expiries[event.timer](talk)
  }
}

/** After every event: hands out speech, asks the brain, or finishes the reply, as the state of the talk now allows. */
const advance = (talk: Talk): Talk => {
  if (talk.ended !== null) return talk
  if (talk.gone !== null) return takeLastWords(talk, talk.gone.reason)
  if (talk.reply !== null) return advanceReply(talk)
  if (talk.errand?.kind === "person") return PersonTalk.connect(talk)
  if (Voicemail.isMessageDue(talk)) return advance(Voicemail.leaveMessage(talk))
  return talk.news && isFree(talk) ? advance(Replies.answer(talk, { started_by: "tool" })) : talk
}

const advanceReply = (talk: Talk): Talk => {
  const moved = Replies.note(Replies.handOut(ToolCalls.begin(talk)))
  const { reply } = moved
  if (reply === null || moved.held_since !== null) return moved
  if (wantsStep(moved, reply)) return Replies.ask(moved, reply)
  // After the last reply, the timer `drained` ends the call (`leave`).
  if (!isDrained(moved, reply) || reply.afterwards._tag === "End") return moved
  return doAfterwards(Replies.finish(moved, reply), reply.afterwards)
}

/** Does what follows a reply that was heard to its end. */
const doAfterwards = (talk: Talk, afterwards: Exclude<Then, { readonly _tag: "End" }>): Talk => {
  switch (afterwards._tag) {
    case "Listen":
      return advance(talk)
    case "Greet":
      return advance(onOpeningHeard(talk))
    case "Transfer": {
      const { target } = afterwards
      const warm = talk.setup.hands_over ? afterwards.warm : null
      const stage = warm === null ? "blind" : "dialling"
      return emit({ ...talk, errand: { kind: "transfer", since: talk.at, stage } }, { _tag: "Transfer", target, warm })
    }
  }
}

/** Handles the words of speech that a voice model has heard before. */
const onWorded: typeof onUtterance = (talk, text, started_ms, ended_ms) =>
  PersonTalk.isOn(talk)
    ? PersonTalk.onCallerSaid(talk, { text, started_ms, ended_ms })
    : onUtterance(talk, text, started_ms, ended_ms)

const onUtterance = (talk: Talk, text: string, started_ms: number, ended_ms: number): Talk => {
  if (PersonTalk.wereForPerson(talk, text, ended_ms)) {
    return PersonTalk.onCallerSaid(talk, { text, started_ms, ended_ms })
  }
  const noted = () => emit(talk, { _tag: "Note", spoken: { role: "caller", text, started_ms, ended_ms } })
  // A machine's words do not count as a turn.
  if (talk.machine !== null) return noted()
  if (talk.announcement_since !== null) return Announcement.onUtterance(noted(), text, started_ms)
  const heard = Floor.onUtterance(talk, text, started_ms, ended_ms)
  // A wish not to be called takes precedence over anything else that the words resemble, and gets no greeting.
  if (wantsNoCalls(text)) {
    return OptOut.writeAtOnceIfWish({ ...notePerson(heard, started_ms), opened: true, screening_since: null }, text)
  }
  if (talk.screening_since !== null) return Screening.onUtterance(heard, text, started_ms, open)
  // A menu may follow another for as long as their keys are pressed.
  const mayBeMachine = Tones.mayBeGreeting(talk, started_ms) || talk.menus.length > 0
  const kind = mayBeMachine ? (machineKindOf(text) ?? hintedKindOf([...saidBefore(talk), text])) : null
  if (kind !== null) return onMachineWords(Answered.noteWords(heard, kind, started_ms), kind, text)
  const known = notePerson(heard, started_ms)
  return talk.opened ? known : open(known)
}

/** What the caller has said until now. */
const saidBefore = ({ history, later }: Talk): ReadonlyArray<string> =>
  [...history, ...later].flatMap(({ role, text }) => (role === "caller" ? [text] : []))

/** Notes a person at the first words that are not a machine's, if a phone was called. */
const notePerson = (heard: Talk, started_ms: number): Talk =>
  heard.setup.meets_machines && heard.answered_by === null ? Answered.noteWords(heard, null, started_ms) : heard

/** Turns the pressed keys into a turn of the caller, which is answered at once. */
const onKeysPressed = (talk: Talk): Talk => {
  const { pressed } = talk
  if (pressed === null) return talk
  return onUtterance({ ...talk, pressed: null }, Keypad.wordsOf(talk), pressed.from, pressed.since)
}

const onMachineWords = (heard: Talk, kind: MachineKind, text: string): Talk => {
  switch (kind) {
    case "screening":
      return Screening.begin(heard)
    case "menu":
      return Menu.onMenu(heard, text)
    case "out_of_service":
      return Announcement.endOutOfService(heard)
    case "announcement":
      return Announcement.beginByWords(heard)
    case "voicemail":
    case "full_mailbox":
      return Voicemail.onMachine(heard, kind)
  }
}

/**
 * Opens the talk after the caller's first word, or when the wait for it ends. The disclosure and the notices come first
 * (`Opening.ts`), then the greeting.
 */
const open = (talk: Talk): Talk => {
  const opened: Talk = { ...talk, opened: true }
  const { greeting } = talk.setup
  // Without a first message, the caller's first words are answered after the opening.
  if (!talk.noticed) return { ...Opening.begin(opened, { _tag: "Greet" }), caller: talk.caller }
  return greeting === "" ? opened : Replies.say(opened, greeting, { started_by: "agent", greets: true })
}

/** The opening was heard to its end. The caller's speech and a wish not to be called come before the greeting. */
const onOpeningHeard = (talk: Talk): Talk => {
  const told = emit({ ...talk, noticed: true }, { _tag: "NoteAnnounced" })
  if (wantsNoCalls(told.caller.owed?.text ?? "")) return OptOut.endCallerTurn(told)
  return isSpeaking(told) ? { ...told, opened: false } : open(told)
}

/** Takes a wish not to be called in words that the recogniser has not finished: no final words will follow. */
const takeUnfinishedWish = (talk: Talk): Talk => {
  const { speaking_since, words } = talk.caller
  return wantsNoCalls(words) ? onUtterance(talk, words, speaking_since ?? talk.at, talk.at) : talk
}

const onGone = (before: Talk, how: Gone, hears: boolean): Talk => {
  const left = Keypad.giveUp({ ...before, pressed: null }, "hung_up")
  const talk = takeUnfinishedWish(left)
  const { errand, machine, reply, screening_since } = talk
  // A machine may hang up before `drained` is due: it has the message all the same.
  if (machine !== null) return reply?.afterwards._tag === "End" ? leave(talk) : Replies.end(talk, "voicemail")
  if (screening_since !== null) return Screening.end(talk)
  if (talk.announcement_since !== null) return Announcement.end(talk)
  if (errand?.kind === "transfer") {
    const isWaiting = errand.stage === "dialling"
    const reason = !isWaiting ? "transferred" : how === "lost" ? "line_lost" : "caller_hung_up"
    return OptOut.endUnanswered(talk, reason)
  }
  if (errand?.kind === "person") return Replies.end(talk, how === "lost" ? "line_lost" : "caller_hung_up")
  // The agent's goodbye was complete, so this is the agent's hang-up.
  if (reply?.afterwards._tag === "End" && isDrained(talk, reply)) return Replies.end(talk, reply.afterwards.reason)
  const reason = how === "lost" ? "line_lost" : "caller_hung_up"
  // Speech can no longer be heard, but a reply that is still being generated may call tools.
  const heard = hears ? left : talk
  const silent = reply === null || (!reply.thinking && openTools(talk, reply).length === 0) ? Replies.cut(heard) : heard
  return { ...silent, held_since: null, gone: { since: talk.at, reason, hears } }
}

/** All words from before the hang-up are known. */
const onHeardOut = (talk: Talk): Talk => (talk.gone === null ? talk : { ...talk, gone: { ...talk.gone, hears: false } })

/**
 * The caller's last words before the hang-up get no spoken reply, but tools are run for them, and a wish not to be
 * called counts.
 */
const takeLastWords = (talk: Talk, reason: EndReason): Talk => {
  const { errand, reply } = talk
  if (reply !== null) {
    const moved = ToolCalls.begin(talk)
    if (wantsStep(moved, reply)) return Replies.ask(moved, reply)
    return isWhole(moved, reply) ? takeLastWords(Replies.cut(moved), reason) : moved
  }
  const { owed } = talk.caller
  if (owed !== null && errand === null && (talk.setup.has_tools || wantsNoCalls(owed.text)))
    return OptOut.endCallerTurn(talk)
  const isBusy =
    errand !== null ||
    talk.gone?.hears === true ||
    talk.caller.unworded.length > 0 ||
    talk.tools.some(({ state }) => state === "running")
  return isBusy ? talk : Replies.end(talk, reason)
}

/** The reply is over: its last word was heard, or waiting for that timed out. */
const leave = (talk: Talk): Talk => {
  const { machine, reply } = talk
  if (reply?.afterwards._tag !== "End") return talk
  if (!isDrained(talk, reply)) return Replies.end(talk, reply.afterwards.reason)
  const finished = Replies.finish(talk, reply)
  return Replies.end(machine === null ? finished : emit(finished, { _tag: "NoteMessageLeft" }), reply.afterwards.reason)
}

const expiries: Record<TimerName, (talk: Talk) => Talk> = {
  first_word: open,
  endpoint: OptOut.endCallerTurn,
  keys: onKeysPressed,
  digits: (talk) => Keypad.giveUp(talk, "timeout"),
  barge_in: Floor.bargeIn,
  false_alarm: Floor.resume,
  speech: (talk) => Floor.onSpeechEnded(talk, talk.at),
  brain: Thoughts.giveUp,
  first_answer: Thoughts.giveUp,
  tool: ToolCalls.giveUp,
  filler: (talk) => (talk.reply === null ? talk : Replies.addFiller(talk, talk.reply)),
  silence: Silence.onSilence,
  drained: leave,
  goodbye: leave,
  opt_out: OptOut.onOptedOut,
  reassure: Transfers.reassure,
  person: PersonTalk.stopWaiting,
  tone: (talk) => Voicemail.onMachine(talk, "tone"),
  screening: Screening.end,
  announcement: Announcement.end,
  last_goodbye: (talk) =>
    Replies.say({ ...Replies.cut(talk), time_is_up: true }, sentencesOf(talk).timeIsUp, {
      started_by: "agent",
      afterwards: { _tag: "End", reason: "max_duration", reopens: false },
    }),
  last_words: (talk) => (talk.gone === null ? talk : OptOut.endUnanswered(takeUnfinishedWish(talk), talk.gone.reason)),
  hard_end: (talk) => OptOut.endUnanswered(talk, "max_duration"),
}
