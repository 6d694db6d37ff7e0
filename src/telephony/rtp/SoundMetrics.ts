/** The quality of the sound of this process's calls as metrics: counted when a call ends, and never for one account. */
import { Effect, Metric } from "effect"
import type { SoundFigures } from "../../domain/SoundFigures.ts"

const packetsTotal = Metric.counter("parley_sound_packets_total", {
  description: "Packets of sound that peers sent in ended calls: played in time, late, or lost on the way.",
  incremental: true,
})

const scores = Metric.histogram("parley_sound_mos", {
  description: "The mean opinion score that the E-model estimates for the sound that each ended call received.",
  boundaries: [1.5, 2, 2.5, 3, 3.25, 3.5, 3.75, 4, 4.2, 4.3, 4.41],
})

const roundTrips = Metric.histogram("parley_sound_round_trip_seconds", {
  description: "The round trip between this process and the peer of each ended call whose peer reports it.",
  boundaries: [0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1],
})

const count = (fate: string, packets: number) => Metric.update(Metric.withAttributes(packetsTotal, { fate }), packets)

/** Counts the sound of a call that has ended. */
export const record = ({ late, lost, mos, received, round_trip_ms }: SoundFigures): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* count("played", Math.max(0, received - late))
    yield* count("late", late)
    yield* count("lost", lost)
    if (mos !== null) yield* Metric.update(scores, mos)
    if (round_trip_ms !== null) yield* Metric.update(roundTrips, round_trip_ms / 1_000)
  })
