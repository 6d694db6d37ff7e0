/** One invocation of a tool: its name and time, its arguments and its result. */
import { JsonText } from "../../ui/JsonText.tsx"

export interface ToolCallProps {
  readonly call: {
    readonly tool_name: string
    readonly arguments: unknown
    readonly result?: unknown
    readonly error?: { readonly code: string; readonly message: string } | undefined
    readonly duration_ms: number
  }
}

export const ToolCall = ({ call }: ToolCallProps) => (
  <details className={`ToolCall ${call.error === undefined ? "" : "ToolCall-failed"}`} open>
    <summary>
      {call.tool_name}
      <span className="ToolCall-time">{call.duration_ms} ms</span>
    </summary>
    <pre>
      <JsonText value={call.arguments} />
      {"\n→ "}
      {call.error === undefined ? (
        <JsonText value={call.result ?? null} />
      ) : (
        `${call.error.code}: ${call.error.message}`
      )}
    </pre>
  </details>
)
