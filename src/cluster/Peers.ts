/** What the other processes advertise: how many calls they conduct, and how many they can carry (`nodes`). */

export interface Peer {
  readonly id: string
  readonly calls: number
  readonly calls_max: number
  /** When this process first read these numbers, in milliseconds. */
  readonly heard_at: number
}

/** A runner's row. */
export interface Advertisement {
  readonly id: string
  readonly is_healthy: boolean
  readonly calls: number
  readonly calls_max: number | null
  readonly seen_at: string
}

/** `own` is this process's node. */
export const make = (own: string) => {
  let peers = new Map<string, Peer & { readonly seen_at: string }>()
  return {
    /** Notes the living runners, and forgets the others. */
    note: (rows: ReadonlyArray<Advertisement>, now: number) => {
      const known = peers
      peers = new Map(
        rows.flatMap(({ calls, calls_max, id, is_healthy, seen_at }) => {
          if (id === own || !is_healthy || calls_max === null) return []
          const before = known.get(id)
          const peer = before?.seen_at === seen_at ? before : { id, calls, calls_max, heard_at: now, seen_at }
          return [[id, peer] as const]
        }),
      )
    },
    all: (): ReadonlyArray<Peer> => [...peers.values()],
  }
}
