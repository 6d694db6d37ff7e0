/** How good the sound of a call is: what arrived of it, and the opinion score that the E-model expects for it. Pure. */

export interface SoundQuality {
  /** Packets of sound that arrived, were lost on the way, and arrived after their time to be played. */
  readonly received: number
  readonly lost: number
  readonly late: number
  /** Packets that we sent, and the share of them that the peer lost by its last report. */
  readonly sent: number
  readonly peer_lost: number
  readonly jitter_ms: number
  /** Null if the peer reports nothing. */
  readonly round_trip_ms: number | null
  /** From 1 (bad) to 4.4 (as good as the telephone network is); null before anything arrived. */
  readonly mos: number | null
}

/** ITU-T G.107 with its default values, of which this remains for G.711. */
const best = 93.2
/** G.113 Appendix I: how well G.711 with concealment bears random loss. */
const robustness = 25.1
/** Beyond this delay people begin to talk over each other. */
const talkingOverMs = 177.3

/**
 * The mean opinion score of G.711 with concealment: `lossShare` of the packets are missing, and sound takes `delayMs`
 * from mouth to ear. The delay is judged by the approximation of Cole and Rosenbluth (2001).
 */
export const estimateMos = (lossShare: number, delayMs: number): number => {
  const lossPercent = 100 * lossShare
  const ofLoss = lossPercent === 0 ? 0 : (95 * lossPercent) / (lossPercent + robustness)
  const ofDelay = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - talkingOverMs)
  const rating = Math.max(0, Math.min(100, best - ofLoss - ofDelay))
  const score = 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating)
  return Math.round(Math.max(1, score) * 100) / 100
}
