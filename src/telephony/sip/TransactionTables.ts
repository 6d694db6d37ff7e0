/**
 * The four state machines of SIP transactions (RFC 3261 §17, with the corrections of RFC 6026) as tables: for each
 * state and event, the next state and the actions. An event that the table does not list is ignored.
 */
import { refusalLife, t1, t2, t4, transactionLife } from "./Timers.ts"

export type State =
  | "calling"
  | "trying"
  | "proceeding"
  | "accepted"
  | "acknowledged"
  | "completed"
  | "confirmed"
  | "terminated"

/** Events: a message was received, the transaction's user sends one, or a timer is due. */
export type Event =
  | "request"
  | "ack"
  | "provisional"
  | "success"
  | "refusal"
  | "resendDue"
  | "expired"
  | "transportFailed"

export type Action =
  /** Sends the request or the last response again. */
  | "repeat"
  /** Client: passes the response to the transaction's user. Server: sends the user's response. */
  | "pass"
  /** Acknowledges a refusal of our INVITE. */
  | "acknowledge"
  /** Reports to the user that no answer came. */
  | "reportTimeout"
  | "reportUnreachable"
  /** Reports to the user that our answer to an INVITE was not acknowledged. */
  | "reportUnacknowledged"

export type Table = Partial<Record<State, Partial<Record<Event, readonly [State, ...ReadonlyArray<Action>]>>>>

/** The timers that start when a state is entered. A state without an entry has none. */
export interface StateTimers {
  /** The first pause before a transmission is repeated, doubled each time up to `mostResend`. */
  readonly resend?: number
  readonly mostResend?: number
  /** "keep": the timer of the previous state continues. */
  readonly expire?: number | "keep"
}

export interface Machine {
  readonly start: State
  readonly table: Table
  /** Over a reliable transport there are no repetitions, and no waiting for late ones. */
  readonly timers: (isReliable: boolean) => Partial<Record<State, StateTimers>>
}

const waitFor = (isReliable: boolean, ms: number): StateTimers => ({ expire: isReliable ? 0 : ms })

export const inviteClient: Machine = {
  start: "calling",
  table: {
    calling: {
      resendDue: ["calling", "repeat"],
      provisional: ["proceeding", "pass"],
      success: ["accepted", "pass"],
      refusal: ["completed", "acknowledge", "pass"],
      expired: ["terminated", "reportTimeout"],
      transportFailed: ["terminated", "reportUnreachable"],
    },
    proceeding: {
      provisional: ["proceeding", "pass"],
      success: ["accepted", "pass"],
      refusal: ["completed", "acknowledge", "pass"],
    },
    accepted: { success: ["accepted", "pass"], expired: ["terminated"] },
    completed: { refusal: ["completed", "acknowledge"], expired: ["terminated"] },
  },
  timers: (isReliable) => ({
    calling: isReliable ? { expire: transactionLife } : { resend: t1, mostResend: Infinity, expire: transactionLife },
    accepted: { expire: transactionLife },
    completed: waitFor(isReliable, refusalLife),
  }),
}

export const otherClient: Machine = {
  start: "trying",
  table: {
    trying: {
      resendDue: ["trying", "repeat"],
      provisional: ["proceeding", "pass"],
      success: ["completed", "pass"],
      refusal: ["completed", "pass"],
      expired: ["terminated", "reportTimeout"],
      transportFailed: ["terminated", "reportUnreachable"],
    },
    proceeding: {
      resendDue: ["proceeding", "repeat"],
      provisional: ["proceeding", "pass"],
      success: ["completed", "pass"],
      refusal: ["completed", "pass"],
      expired: ["terminated", "reportTimeout"],
      transportFailed: ["terminated", "reportUnreachable"],
    },
    completed: { expired: ["terminated"] },
  },
  timers: (isReliable) => ({
    trying: isReliable ? { expire: transactionLife } : { resend: t1, mostResend: t2, expire: transactionLife },
    proceeding: isReliable ? { expire: "keep" } : { resend: t2, mostResend: t2, expire: "keep" },
    completed: waitFor(isReliable, t4),
  }),
}

export const inviteServer: Machine = {
  start: "proceeding",
  table: {
    proceeding: {
      request: ["proceeding", "repeat"],
      provisional: ["proceeding", "pass"],
      success: ["accepted", "pass"],
      refusal: ["completed", "pass"],
    },
    // A 2xx is repeated until its ACK comes, over every transport (§13.3.1.4).
    accepted: {
      resendDue: ["accepted", "repeat"],
      ack: ["acknowledged"],
      expired: ["terminated", "reportUnacknowledged"],
    },
    acknowledged: { expired: ["terminated"] },
    completed: {
      request: ["completed", "repeat"],
      resendDue: ["completed", "repeat"],
      ack: ["confirmed"],
      expired: ["terminated"],
    },
    confirmed: { expired: ["terminated"] },
  },
  timers: (isReliable) => ({
    accepted: { resend: t1, mostResend: t2, expire: transactionLife },
    acknowledged: { expire: "keep" },
    completed: isReliable ? { expire: transactionLife } : { resend: t1, mostResend: t2, expire: transactionLife },
    confirmed: waitFor(isReliable, t4),
  }),
}

export const otherServer: Machine = {
  start: "trying",
  table: {
    trying: { provisional: ["proceeding", "pass"], success: ["completed", "pass"], refusal: ["completed", "pass"] },
    proceeding: {
      request: ["proceeding", "repeat"],
      provisional: ["proceeding", "pass"],
      success: ["completed", "pass"],
      refusal: ["completed", "pass"],
    },
    completed: { request: ["completed", "repeat"], expired: ["terminated"] },
  },
  timers: (isReliable) => ({ completed: waitFor(isReliable, transactionLife) }),
}
