/** The quality of a call's sound, as counted at Parley's end of the call (decisions §2, Call). */
import { Schema } from "effect"

const packets = (description: string) => Schema.Int.annotate({ description })

export const SoundFigures = Schema.Struct({
  received: packets("Packets of sound that arrived. One holds 20 ms."),
  lost: packets("Packets that were lost on the way here."),
  late: packets("Packets that arrived after the moment at which they were to be played."),
  sent: packets("Packets of sound that Parley sent."),
  peer_lost: Schema.Finite.annotate({
    description: "The share of the sent packets that the other side lost, by its last report: 0 to 1.",
  }),
  jitter_ms: Schema.Finite.annotate({
    description: "How unevenly the packets arrived, as RFC 3550 §6.4.1 computes it, at the end of the call.",
  }),
  round_trip_ms: Schema.NullOr(Schema.Finite).annotate({ description: "Null if the other side sends no reports." }),
  mos: Schema.NullOr(Schema.Finite).annotate({
    description:
      "The mean opinion score of what arrived, from 1 (bad) to 4.41 (the best that G.711 has), as the E-model (ITU-T G.107) estimates it from loss and delay. Null if nothing arrived.",
  }),
}).annotate({ identifier: "SoundFigures" })
export type SoundFigures = typeof SoundFigures.Type
