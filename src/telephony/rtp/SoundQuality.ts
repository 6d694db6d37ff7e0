/** Estimates the mean opinion score of a call's sound by the E-model (ITU-T G.107). Pure. */

/** The rating that G.107's default values leave for G.711. */
const best = 93.2
/** The robustness of G.711 with concealment against random loss (G.113 Appendix I). */
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
