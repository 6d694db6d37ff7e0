/** A placeholder while content loads: nothing at first, then a still grey shape, then a word if it takes long. */
import { type ReactNode, useEffect, useState } from "react"
import "./Loading.css"

/** Milliseconds. Content that loads faster shows no placeholder. */
const patience = 200
const long = 5_000

export const Loading = ({ children, label }: { readonly label: string; readonly children?: ReactNode }) => {
  const [stage, setStage] = useState<"still" | "shape" | "word">("still")
  useEffect(() => {
    const shape = setTimeout(() => setStage("shape"), patience)
    const word = setTimeout(() => setStage("word"), long)
    return () => {
      clearTimeout(shape)
      clearTimeout(word)
    }
  }, [])
  return (
    <div className="Loading" role="status" aria-label={label}>
      {stage !== "still" && (children ?? <Bones rows={6} />)}
      {stage === "word" && <p className="second-line Loading-word">Still loading. The server is slow to answer.</p>}
    </div>
  )
}

/** Rows of two lines with figures at the end. */
export const Bones = ({ rows }: { readonly rows: number }) => (
  <div className="Bones" aria-hidden>
    {Array.from({ length: rows }, (_, at) => (
      <div key={at} className="Bones-row">
        <span className="Bones-names">
          <span className="Bone" style={{ width: `${60 + ((at * 37) % 40)}%` }} />
          <span className="Bone Bone-second" />
        </span>
        <span className="Bone Bone-middle" />
        <span className="Bone Bone-end" />
      </div>
    ))}
  </div>
)
