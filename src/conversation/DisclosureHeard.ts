/** Notes how much of the disclosure was heard, from the position of the sound, when its reply is over. Pure. */
import type { HeardOf } from "./ReplyTrace.ts"
import { emit } from "./Talk.ts"
import type { Reply, Talk } from "./Talk.ts"

export const noteDisclosure = (talk: Talk, { discloses, pieces }: Reply, heardOf: HeardOf): Talk => {
  if (discloses === 0) return talk
  const disclosed = pieces.slice(0, discloses)
  const countCharacters = (textOf: HeardOf) => disclosed.reduce((sum, piece) => sum + textOf(piece).length, 0)
  const ratio =
    countCharacters(heardOf) /
    Math.max(
      1,
      countCharacters(({ text }) => text),
    )
  const last = disclosed.at(-1)
  // A voice model may leave out words, and its sound then ends all the same.
  const heard_ms = last?.state === "over" ? Math.round(last.ended_ms) : null
  return emit(talk, {
    _tag: "NoteDisclosure",
    heard_ms,
    heard_ratio: heard_ms === null ? Math.min(0.99, Math.floor(ratio * 100) / 100) : 1,
  })
}
