/** An editor whose code loads when a page first shows one. Until then it shows the plain text. */
import { lazy, Suspense, useId } from "react"
import type { EditorProps } from "./CodeMirrorEditor.tsx"
import "./Editor.css"

const CodeMirrorEditor = lazy(() => import("./CodeMirrorEditor.tsx").then((it) => ({ default: it.CodeMirrorEditor })))

export const Editor = (props: Omit<EditorProps, "describedBy">) => {
  const hint = useId()
  const takesTab = props.language !== "prompt" && props.isReadOnly !== true
  return (
    <div className={`Editor Editor-${props.language}`}>
      <Suspense fallback={<pre className="Editor-waiting">{props.value}</pre>}>
        <CodeMirrorEditor {...props} {...(takesTab && { describedBy: hint })} />
      </Suspense>
      {takesTab && (
        <p id={hint} className="Editor-hint second-line">
          Tab indents. To leave with the keyboard, press Esc, then Tab.
        </p>
      )}
    </div>
  )
}
