/** An editor whose code loads when a page first shows one. Until then it shows the plain text. */
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
