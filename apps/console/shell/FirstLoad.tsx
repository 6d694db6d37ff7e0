/** The first load: nothing for a moment, then the mark with its two arcs in turn. */
import { useEffect, useState } from "react"
import { Mark } from "../figures/Mark.tsx"
import "./FirstLoad.css"

/** Milliseconds. A page that loads faster shows nothing. */
const patience = 200

export const FirstLoad = () => {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), patience)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="FirstLoad" role="status" aria-label="Loading">
      {isLong && <Mark size={32} isLoading />}
    </div>
  )
}
