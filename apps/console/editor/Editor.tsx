/** A text with an editor of its own, asked for by the page that shows one: until it is there, the text itself stands there. */
import { lazy, Suspense } from "react"
import type { EditorProps } from "./CodeMirrorEditor.tsx"
import "./Editor.css"

const CodeMirrorEditor = lazy(() => import("./CodeMirrorEditor.tsx").then((it) => ({ default: it.CodeMirrorEditor })))

export const Editor = (props: EditorProps) => (
  <div className={`Editor Editor-${props.language}`}>
    <Suspense fallback={<pre className="Editor-waiting">{props.value}</pre>}>
      <CodeMirrorEditor {...props} />
    </Suspense>
  </div>
)
