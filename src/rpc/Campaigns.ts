/** Campaigns over the router: their operations, their contacts, and their progress. */
import { Effect, Stream } from "effect"
import { changeOf, etagOf, revisionsOf, toCampaign } from "../campaigns/CampaignAnswer.ts"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import { follow } from "../campaigns/CampaignEvents.ts"
import { endId } from "../campaigns/CampaignNews.ts"
import * as Rows from "../campaigns/Campaigns.ts"
import * as Contacts from "../campaigns/Contacts.ts"
import { Preflight } from "../campaigns/Preflight.ts"
import { timeline } from "../campaigns/Timeline.ts"
import * as VariableCheck from "../campaigns/VariableCheck.ts"
import { Campaign } from "../domain/Campaign.ts"
import { CampaignSnapshot } from "../domain/CampaignSnapshot.ts"
import { CampaignTimeline, usualBucketSeconds } from "../domain/CampaignTimeline.ts"
import { Contact, ContactDetail } from "../domain/Contact.ts"
import { AddedContacts, WithdrawnContacts } from "../domain/ContactChange.ts"
import { Page } from "../domain/Page.ts"
import { PreflightReport } from "../domain/Preflight.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Nothing, Tagged } from "./Answers.ts"
import { CampaignView } from "../domain/LiveViews.ts"
import * as Inputs from "./inputs/Campaigns.ts"
import { PreflightOfCampaign } from "./inputs/Preflight.ts"
import { campaignView } from "./LiveViews.ts"
import { mutation, query, router, subscription } from "./Procedure.ts"

const Answer = Tagged(Campaign)
const toAnswer = (row: Rows.CampaignRow) =>
  Effect.map(VariableCheck.bringUpToDate(row), (row) => ({ ...toCampaign(row), etag: etagOf(row) }))

/** Start, pause, resume and stop take a campaign and answer with it. */
const operate = (
  doing: (control: CampaignControl["Service"], id: string) => Effect.Effect<Rows.CampaignRow, unknown, Here>,
) =>
  [
    Inputs.CampaignKey,
    Answer,
    ({ id }: { readonly id: string }) =>
      Effect.flatMap(CampaignControl, (control) => Effect.flatMap(doing(control, id), toAnswer)),
  ] as const
type Here = Effect.Services<ReturnType<CampaignControl["Service"]["start"]>>

export const campaigns = router({
  list: query("read", Inputs.CampaignList, Page(Campaign), (filter) =>
    Effect.map(Rows.list(filter), (page) => ({ ...page, items: page.items.map(toCampaign) })),
  ),
  get: query("read", Inputs.CampaignKey, Answer, ({ id }) => Effect.flatMap(Rows.find(id), toAnswer)),
  update: mutation("write", Inputs.CampaignUpdate, Answer, ({ etag, id, ...change }) =>
    CampaignControl.use(({ update }) => Effect.flatMap(update(id, changeOf(change), revisionsOf(etag)), toAnswer)),
  ),
  copy: mutation("write", Inputs.CampaignCopy, Answer, ({ id, ...choice }) =>
    CampaignControl.use(({ copy }) => Effect.flatMap(copy(id, choice), toAnswer)),
  ),
  start: mutation("dial", ...operate(({ start }, id) => start(id))),
  pause: mutation("write", ...operate(({ pause }, id) => pause(id))),
  resume: mutation("dial", ...operate(({ resume }, id) => resume(id))),
  stop: mutation("write", ...operate(({ stop }, id) => stop(id))),
  remove: mutation("write", Inputs.CampaignKey, Nothing, ({ id }) => CampaignControl.use(({ remove }) => remove(id))),

  preflight: query("read", PreflightOfCampaign, PreflightReport, ({ id, ...assumptions }) =>
    Preflight.use(({ run }) => run(id, assumptions)),
  ),
  timeline: query("read", Inputs.CampaignTimeline, CampaignTimeline, ({ bucket_seconds, id }) =>
    Effect.flatMap(Rows.find(id), (campaign) => timeline(campaign.id, bucket_seconds ?? usualBucketSeconds)),
  ),
  /** Sends a snapshot at once, and then whenever the public stream does. Ends after the campaign's last snapshot. */
  live: subscription("read", Inputs.CampaignLive, CampaignSnapshot, ({ id, lastEventId }) =>
    Effect.gen(function* () {
      const campaign = yield* Rows.find(id)
      const { created_at, ended_at } = campaign
      if (ended_at !== null && lastEventId === String(endId({ created_at, ended_at }))) return Stream.empty
      const news = follow(yield* CurrentTenant, campaign.id)
      return Stream.map(news, (sight) => [String(sight.id), sight.snapshot] as const)
    }),
  ),
  /**
   * Everything that the campaign's page shows, as of one moment; sent again when something changes. Ends after its last
   * call.
   */
  view: subscription("read", Inputs.CampaignLive, CampaignView, ({ id }) => campaignView(id)),
  contacts: router({
    list: query("read", Inputs.ContactList, Page(Contact), ({ campaign_id, ...filter }) =>
      Effect.flatMap(Rows.find(campaign_id), ({ id }) => Contacts.list(id, filter)),
    ),
    get: query("read", Inputs.ContactKey, ContactDetail, ({ campaign_id, contact_id }) =>
      Effect.flatMap(Rows.find(campaign_id), ({ id }) => Contacts.find(id, contact_id)),
    ),
    add: mutation("write", Inputs.ContactAdditions, AddedContacts, ({ campaign_id, contacts }) =>
      CampaignControl.use(({ addContacts }) => addContacts(campaign_id, contacts)),
    ),
    withdraw: mutation("write", Inputs.ContactKey, ContactDetail, ({ campaign_id, contact_id }) =>
      CampaignControl.use(({ withdraw }) => withdraw(campaign_id, contact_id)),
    ),
    withdrawMany: mutation("write", Inputs.ContactWithdrawals, WithdrawnContacts, ({ campaign_id, external_ids }) =>
      CampaignControl.use(({ withdrawMany }) => withdrawMany(campaign_id, external_ids)),
    ),
  }),
  callbacks: router({
    list: query("read", Inputs.CallbackList, Page(Contact), ({ campaign_id, ...filter }) =>
      Effect.flatMap(Rows.find(campaign_id), ({ id }) => Contacts.listCallbacks(id, filter)),
    ),
    move: mutation("dial", Inputs.CallbackMove, ContactDetail, ({ at, campaign_id, contact_id }) =>
      CampaignControl.use(({ moveCallback }) => moveCallback(campaign_id, contact_id, new Date(at))),
    ),
    cancel: mutation("write", Inputs.ContactKey, ContactDetail, ({ campaign_id, contact_id }) =>
      CampaignControl.use(({ cancelCallback }) => cancelCallback(campaign_id, contact_id)),
    ),
  }),
})
