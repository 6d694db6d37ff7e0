/** Inputs about an account, from its members. */
import { z } from "zod"
import { between, listOf, Search, Uuid } from "./Fields.ts"

/** A view starts again with each connection: the last event that a reconnecting client names is ignored. */
export const AccountView = z.object({ lastEventId: z.string().nullish() }).prefault({})

/** The campaigns of a page of a list. */
export const CampaignTallies = z.strictObject({ campaign_ids: listOf(Uuid, 0, 100) })

/** A contact of any campaign. */
export const ContactSearch = z.strictObject({ search: Search.min(1), limit: between(1, 50).prefault(10) })

/** The calls of a page of a list. */
export const CallNames = z.strictObject({ campaign_ids: listOf(Uuid, 0, 100), contact_ids: listOf(Uuid, 0, 100) })
