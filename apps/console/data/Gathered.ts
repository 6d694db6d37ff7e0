/** Batches pushed updates and renders them together in one frame: fifty updates a second cause ten renders. */

type Draw = () => void

/** If several updates have the same key, the last one wins. */
const gathering = (everyMs: number) => {
  const waiting = new Map<string, Draw>()
  let drawnAt = Number.NEGATIVE_INFINITY
  let isPlanned = false
  const draw = () => {
    isPlanned = false
    drawnAt = performance.now()
    const drawn = [...waiting.values()]
    waiting.clear()
    for (const each of drawn) each()
  }
  return (key: string, each: Draw): void => {
    waiting.set(key, each)
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => requestAnimationFrame(draw), Math.max(0, drawnAt + everyMs - performance.now()))
  }
}

/** States and figures: four times a second. */
export const drawSoon = gathering(250)

/** Words as they are said: ten times a second. */
export const drawWords = gathering(100)
