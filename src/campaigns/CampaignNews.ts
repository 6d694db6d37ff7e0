/** The messages about a campaign that its watcher sends to all streams of the campaign (spec §6), and their ids. */
import { isTerminal } from "../domain/Campaign.ts"
import type { CampaignSnapshot } from "../domain/CampaignSnapshot.ts"
import type { Observed } from "./SnapshotQuery.ts"

/** The messages of a stream. All listeners get the same object, so that it is encoded once. */
export type News =
  | { readonly _tag: "Snapshot"; readonly id: number; readonly snapshot: CampaignSnapshot }
  | { readonly _tag: "End"; readonly id: number; readonly snapshot: CampaignSnapshot }
  | { readonly _tag: "Heartbeat" }
  /** The campaign no longer exists: a draft that was deleted, or its account. */
  | { readonly _tag: "Gone" }

export type Sight = Extract<News, { readonly id: number }>

export type Listener = (news: News) => void

/**
 * Milliseconds since the campaign was created, doubled, and odd at its end. Ids rise across restarts and processes, and
 * an id that a client sends back tells whether it has seen the end.
 */
export const endId = ({ created_at, ended_at }: { readonly created_at: Date; readonly ended_at: Date }): number =>
  2 * (ended_at.getTime() - created_at.getTime()) + 1

export const newsOf = ({ created_at, ended_at, snapshot }: Observed): Sight =>
  isTerminal(snapshot.status) && ended_at !== null
    ? { _tag: "End", id: endId({ created_at, ended_at }), snapshot }
    : { _tag: "Snapshot", id: 2 * Math.max(0, snapshot.at.getTime() - created_at.getTime()), snapshot }
