/** Debounces a text, so that the server is asked for each word and not for each key. */
import { useEffect, useState } from "react"

/** Milliseconds: long enough for one request per word, short enough not to feel like a wait. */
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
