/** A text once typing has paused: what asks the server per word and not per key. */
import { useEffect, useState } from "react"

/** Long enough that a word is one request, short enough not to be felt as a wait. */
const settlesAfter = 200

export const useSettled = (typed: string): string => {
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    if (typed === settled) return undefined
    const timer = setTimeout(() => setSettled(typed), settlesAfter)
    return () => clearTimeout(timer)
  }, [typed, settled])
  return settled
}
