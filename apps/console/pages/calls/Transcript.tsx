/** The transcript. Beside each answer is the silence before it, split into its parts on one scale. */
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react"
import { useState } from "react"
import { SpeakerArc } from "../../figures/SpeakerArc.tsx"
import { JsonText } from "../../ui/JsonText.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { inSeconds, length } from "../../words/Times.ts"
import { aim, type Line, parts, type Silence, type ToolCall, wordOf } from "./Timeline.ts"
import "../../figures/Legend.css"
import "./Transcript.css"

export interface TranscriptProps {
  readonly lines: ReadonlyArray<Line>
  readonly agent: string
  readonly contact: string
  readonly chosen: Line | undefined
  readonly onChoose: (line: Line) => void
  readonly isLive: boolean
}

export const Transcript = ({ agent, chosen, contact, isLive, lines, onChoose }: TranscriptProps) => {
  const longest = Math.max(aim * 1.25, ...lines.map(({ silence }) => silence?.total ?? 0))
  const hasWords = lines.some(({ silence }) => silence?.parts.some(({ part }) => part === "words"))
  return (
    <section className="Panel Transcript" aria-label="Transcript">
      <header className="Transcript-head Transcript-grid">
        <div className="Transcript-title">
          <h2 className="panel-title">Transcript</h2>
          <p className="label">Click a line to jump to it. ↑ ↓ move line by line.</p>
        </div>
        <div className="Transcript-silence-head">
          <h2 className="panel-title">Silence before the answer</h2>
          <p className="Legend">
            {parts
              .filter(([part]) => part !== "words" || hasWords)
              .map(([part, word]) => (
                <span key={part} className="Legend-entry">
                  <span className={`Legend-fill Transcript-of-${part}`} />
                  {word}
                </span>
              ))}
            <span>┆ {aim / 1000} s aim</span>
          </p>
        </div>
      </header>
      {lines.length === 0 ? (
        <p className="quiet Transcript-none">{isLive ? "Nobody has spoken yet." : "Nothing was said."}</p>
      ) : (
        <div {...(isLive && { role: "log", "aria-live": "off" })}>
          <ol className="Transcript-lines">
            {lines.map((line) =>
              line.kind === "tool" ? (
                <ToolLine key={line.key} line={line} />
              ) : line.kind === "whisper" ? (
                <WhisperLine key={line.key} line={line} />
              ) : (
                <li
                  key={line.key}
                  className={`Transcript-line Transcript-grid ${line === chosen ? "Transcript-chosen" : ""}`}
                  aria-current={line === chosen ? "true" : undefined}
                >
                  <button type="button" className="Transcript-press" onClick={() => onChoose(line)}>
                    <span className="Transcript-time">{length(Math.floor(line.from / 1000))}</span>
                    <span className="Transcript-arc">
                      <SpeakerArc of={line.kind} />
                      <span className="unseen">{speakerOf(line.kind, agent, contact)}: </span>
                    </span>
                    <span className={line.kind === "contact" ? "name" : ""}>
                      {line.kind === "person" && <Tag>colleague</Tag>} {line.text}{" "}
                      {line.isInterrupted && <Tag>interrupted</Tag>}
                    </span>
                  </button>
                  {line.silence !== undefined && <SilenceBar silence={line.silence} longest={longest} />}
                </li>
              ),
            )}
          </ol>
        </div>
      )}
    </section>
  )
}

const speakerOf = (kind: Line["kind"], agent: string, contact: string): string => {
  if (kind === "person") return "Colleague"
  return kind === "contact" ? contact : agent
}

const SilenceBar = ({ longest, silence }: { readonly silence: Silence; readonly longest: number }) => {
  const { note, parts: made, total } = silence
  const said = made.map(({ ms, part }) => `${wordOf[part]} ${inSeconds(ms)}`).join(", ")
  return (
    <div className="Transcript-silence">
      <span className="Transcript-aim" style={{ left: `${(aim / longest) * 100 * scale}%` }} aria-hidden />
      <p className="Transcript-bar" title={said}>
        <span className="Transcript-parts" style={{ width: `${(total / longest) * 100 * scale}%` }} aria-hidden>
          {made.map(({ ms, part }) => (
            <span key={part} className={`Transcript-of-${part}`} style={{ flexGrow: ms }} />
          ))}
        </span>
        <span className={`name ${total > aim ? "Transcript-over" : ""}`}>
          <span className="Transcript-small">silent </span>
          {inSeconds(total)}
          <span className="unseen"> of silence: {said}</span>
        </span>
      </p>
      {note !== undefined && <p className="label Transcript-note">{note}</p>}
    </div>
  )
}
/** The share of the width that the longest silence takes. The rest is for its figure. */
const scale = 0.8

const short = (tool: ToolCall): string =>
  typeof tool.arguments === "object" && tool.arguments !== null
    ? Object.entries(tool.arguments)
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
        .join(", ")
    : JSON.stringify(tool.arguments)

const resultOf = ({ error, result }: ToolCall): string => {
  if (error !== undefined) return error.code
  if (Array.isArray(result)) return result.length === 1 ? "1 found" : `${result.length} found`
  return typeof result === "object" || result === undefined ? "done" : String(result)
}

const WhisperLine = ({ line: { from, text } }: { readonly line: Line }) => (
  <li className="Transcript-line Transcript-grid">
    <div className="Transcript-press">
      <span className="Transcript-time">{length(Math.floor(from / 1000))}</span>
      <span aria-hidden />
      <span>
        <Tag>whisper</Tag> {text}
      </span>
    </div>
  </li>
)

const ToolLine = ({ line: { from, text, tool } }: { readonly line: Line }) => {
  const [isOpen, setOpen] = useState(false)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <li className="Transcript-line Transcript-grid">
      <div className="Transcript-press">
        <span className="Transcript-time">{length(Math.floor(from / 1000))}</span>
        <span className="Transcript-flag" aria-hidden />
        {tool === undefined ? (
          <span className="Transcript-tool mono">{text}</span>
        ) : (
          <span>
            <button
              type="button"
              className="Transcript-tool mono"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <Chevron size={14} aria-hidden />
              <strong>{tool.tool_name}</strong>
              <span className="Transcript-arguments">{short(tool)}</span>
              <span className={tool.error === undefined ? "Transcript-good" : "Transcript-bad"}>{resultOf(tool)}</span>
            </button>
            {isOpen && (
              <span className="Transcript-opened">
                <span className="label">Arguments</span>
                <pre className="mono">
                  <JsonText value={tool.arguments} isLong />
                </pre>
                <span className="label">{tool.error === undefined ? "Result" : "Why it failed"}</span>
                <pre className="mono">
                  <JsonText value={tool.error ?? tool.result ?? null} isLong />
                </pre>
              </span>
            )}
          </span>
        )}
      </div>
      {tool !== undefined && (
        <div className="Transcript-silence quiet">
          <span className="Transcript-small">took </span>
          {inSeconds(tool.duration_ms)}
        </div>
      )}
    </li>
  )
}
