/** The speakers over time: the agent's lane above, the contact's below, tools as flags. Plays the recording, if any. */
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react"
import { useMutation } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { Button } from "react-aria-components"
import { useAccount } from "../../data/Account.tsx"
import { problemOf } from "../../data/Problem.ts"
import { fetchFile } from "../../data/Rest.ts"
import { SpeakerArc } from "../../figures/SpeakerArc.tsx"
import { useShortcut } from "../../shell/Shortcuts.ts"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { length } from "../../words/Times.ts"
import { isLive, type OpenCall } from "./Call.ts"
import type { Line } from "./Timeline.ts"
import "./Lanes.css"

export interface LanesProps {
  readonly call: OpenCall
  readonly lines: ReadonlyArray<Line>
  readonly contact: string
  /** The chosen second of the call. */
  readonly second: number | undefined
  readonly onChoose: (second: number) => void
}

const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600]

/** The reason why there is nothing to play. */
const withoutSound = (call: OpenCall): string => {
  if (!isLive(call)) return "There is no recording of this call."
  if (call.recording_state === "recording") return "The call is in progress and is being recorded."
  if (call.recording_state === "paused") return "The call is in progress. Its recording is paused."
  return "The call is in progress."
}

export const Lanes = ({ call, contact, lines, onChoose, second }: LanesProps) => {
  const last = Math.max(0, ...lines.map(({ to }) => to)) / 1000
  const whole = Math.max(last, 1)
  if (lines.length === 0) return null
  const step = steps.find((seconds) => whole / seconds <= 7) ?? 1800
  const ticks = Array.from({ length: Math.floor(whole / step) + 1 }, (_, at) => at * step)
  const at = (ms: number) => (ms / 1000 / whole) * 1000
  return (
    <section className="Panel Lanes" aria-label="Who spoke when">
      {call.recording === null ? (
        <p className="second-line Lanes-none">{withoutSound(call)}</p>
      ) : (
        <Player
          id={call.id}
          pauses={call.recording_pauses}
          lines={lines}
          second={second}
          onSecond={onChoose}
          whole={whole}
        />
      )}
      <div className="Lanes-names" aria-hidden>
        <span>
          <SpeakerArc of="agent" /> <span className="Lanes-name">{call.agent_name}</span>
        </span>
        <span>
          <SpeakerArc of="contact" /> <span className="Lanes-name">{contact}</span>
        </span>
      </div>
      <div className="Lanes-figure">
        <svg className="Lanes-svg" viewBox="0 0 1000 60" preserveAspectRatio="none" aria-hidden>
          {lines.map(({ from, key, kind, to }) => {
            const width = Math.max(1, at(to - from))
            if (kind === "whisper") return null
            if (kind === "tool")
              return <rect key={key} className="Lanes-tool" x={at(from)} y={0} width={3} height={60} />
            const isPlayed = second === undefined || from / 1000 <= second
            return (
              <rect
                key={key}
                className={`Lanes-${kind} ${isPlayed ? "" : "Lanes-later"}`}
                x={at(from)}
                y={kind === "contact" ? 33 : 8}
                width={width}
                height={kind === "contact" ? 16 : 22}
              />
            )
          })}
          <path className="Lanes-middle" d="M0 31.5H1000" />
          {call.recording_pauses.map(({ ended_ms, started_ms }) => {
            const from = Math.min(1000, at(started_ms))
            const to = Math.min(1000, ended_ms === null ? 1000 : at(ended_ms))
            return (
              <rect
                key={started_ms}
                className="Lanes-paused"
                x={from}
                y={0}
                width={Math.max(2, to - from)}
                height={60}
              />
            )
          })}
        </svg>
        {second !== undefined && (
          <span className="Lanes-head" style={{ left: `${Math.min(100, (second / whole) * 100)}%` }} aria-hidden />
        )}
        <input
          type="range"
          className="Lanes-seek"
          aria-label="Position in the call, in seconds"
          aria-valuetext={length(second ?? 0)}
          min={0}
          max={Math.ceil(whole)}
          step={1}
          value={Math.min(second ?? 0, Math.ceil(whole))}
          onChange={({ target }) => onChoose(Number(target.value))}
        />
        <p className="Lanes-axis label" aria-hidden>
          {ticks.map((tick) => (
            <span key={tick} style={{ left: `${(tick / whole) * 100}%` }}>
              {length(tick)}
            </span>
          ))}
        </p>
      </div>
    </section>
  )
}

const endOf = (ended_ms: number | null): string => (ended_ms === null ? "the end" : length(ended_ms / 1000))

/** The transcript as captions of the sound. */
const captionsOf = (lines: ReadonlyArray<Line>): string => {
  const stamp = (ms: number) => new Date(ms).toISOString().slice(11, 23)
  const cues = lines.map(({ from, text, to }) => `${stamp(from)} --> ${stamp(to)}\n${text.replaceAll(/\s+/g, " ")}`)
  return URL.createObjectURL(new Blob([["WEBVTT", ...cues].join("\n\n")], { type: "text/vtt" }))
}

interface PlayerProps {
  readonly id: string
  readonly pauses: OpenCall["recording_pauses"]
  readonly lines: ReadonlyArray<Line>
  readonly second: number | undefined
  readonly whole: number
  readonly onSecond: (second: number) => void
}

/** The sound is loaded at the first press, because it is large. */
const Player = ({ id, lines, onSecond, pauses, second, whole }: PlayerProps) => {
  const { slug } = useAccount()
  const audio = useRef<HTMLAudioElement>(null)
  const isWanted = useRef(false)
  const [isPlaying, setPlaying] = useState(false)
  const sound = useMutation({
    mutationFn: async () => ({
      url: URL.createObjectURL(await fetchFile(slug, `/api/v1/calls/${id}/recording`)),
      captions: captionsOf(lines),
    }),
  })
  const { captions, url } = sound.data ?? {}
  useEffect(
    () => () => {
      for (const made of [captions, url]) if (made !== undefined) URL.revokeObjectURL(made)
    },
    [captions, url],
  )
  useEffect(() => {
    const player = audio.current
    if (player !== null && second !== undefined && Math.abs(player.currentTime - second) > 1.5)
      player.currentTime = second
  }, [second])
  const press = async () => {
    if (isPlaying) return audio.current?.pause()
    if (url !== undefined) return audio.current?.play()
    // The audio element gets its source only at the next render, so remember to play then.
    isWanted.current = true
    return sound.mutateAsync().catch(() => undefined)
  }
  useShortcut("Space", isPlaying ? "Pause" : "Play", () => void press())
  useShortcut("→", "5 s on", () => onSecond(Math.min(whole, (second ?? 0) + 5)))
  useShortcut("←", "5 s back", () => onSecond(Math.max(0, (second ?? 0) - 5)))
  return (
    <div className="Lanes-player">
      <Button className="Lanes-play" aria-label={isPlaying ? "Pause" : "Play"} onPress={() => void press()}>
        {isPlaying ? <IconPlayerPause aria-hidden /> : <IconPlayerPlay aria-hidden />}
      </Button>
      <span>
        <strong className="name">{length(second ?? 0)}</strong>
        <span className="second-line Lanes-of">
          of {length(whole)}
          {pauses.map(({ ended_ms, started_ms }) => (
            <span key={started_ms}>
              {" "}
              · not recorded from {length(started_ms / 1000)} to {endOf(ended_ms)}
            </span>
          ))}
        </span>
      </span>
      <audio
        ref={audio}
        src={url}
        onLoadedMetadata={({ currentTarget }) => {
          currentTarget.currentTime = second ?? 0
          if (!isWanted.current) return
          isWanted.current = false
          void currentTarget.play()
        }}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget }) => {
          const at = Math.floor(currentTarget.currentTime)
          if (!currentTarget.paused && at !== second) onSecond(at)
        }}
      >
        <track kind="captions" src={captions} />
      </audio>
      {sound.isError && <ProblemLine problem={problemOf(sound.error)} />}
    </div>
  )
}
