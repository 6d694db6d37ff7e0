/** What an account is asked for by its own people. */
import { z } from "zod"
import { listOf, Uuid } from "./Fields.ts"

/** The campaigns of a page of a list. */
export const CampaignTallies = z.object({ campaign_ids: listOf(Uuid, 0, 100) })
