/** The door of the room: every operation on a campaign. The rest of the room is behind it. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Placement } from "../cluster/Placement.ts"
import { type BudgetExceeded, move, type Operation } from "../domain/Campaign.ts"
import type { CopyCampaign } from "../domain/CampaignCopy.ts"
import type { ContactDetail } from "../domain/Contact.ts"
import { canonicalOrNull } from "../domain/Money.ts"
import type { AddedContacts, NewContact, WithdrawnContacts } from "../domain/ContactChange.ts"
import { type CurrentPrincipal, type MissingRole, type MissingScope, requirePermission } from "../domain/Principal.ts"
import {
  type Invalid,
  invalid,
  InvalidState,
  type NotFound,
  type PreconditionFailed,
  UnknownReference,
} from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import * as CampaignRules from "../catalog/CampaignRules.ts"
import { RulePacks } from "../catalog/RulePacks.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import { capture } from "../tenancy/Capture.ts"
import { Copy, type CopyInto } from "../tenancy/Copy.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CallDispositions from "./CallDispositions.ts"
import * as CallbackControl from "./CallbackControl.ts"
import { checkPool, numbersOf, stillUsable } from "./CallerNumberCheck.ts"
import * as CampaignBudget from "./CampaignBudget.ts"
import {
  type CampaignChange,
  differences,
  keepsRules,
  keptBy,
  leadsToCalls,
  mayChange,
  settingsOf,
} from "./CampaignChange.ts"
import * as Campaigns from "./Campaigns.ts"
import { announceAfterCommit, CampaignSignals } from "./dialling/CampaignSignals.ts"
import * as ConsentColumns from "./lists/ConsentColumns.ts"
import * as ContactCopy from "./lists/ContactCopy.ts"
import * as ContactAdditions from "./lists/ContactAdditions.ts"
import * as CopyDispositions from "./lists/CopyDispositions.ts"
import * as ContactImport from "./lists/ContactImport.ts"
import * as ContactWithdrawal from "./lists/ContactWithdrawal.ts"
import type { ListTooLarge } from "./lists/ListRefused.ts"
import { startDue } from "./dialling/Schedule.ts"
import * as SpendCheck from "./SpendCheck.ts"
import * as VariableCheck from "./VariableCheck.ts"
import { checkWindow } from "./WindowCheck.ts"

/** An uploaded form: the contact list, and its other fields. */
export interface Upload {
  readonly contacts: ContactImport.ContactList
  readonly settings: Effect.Effect<Campaigns.NewCampaign, Invalid>
}

type Row = Campaigns.CampaignRow
/** The account's database, and the account. */
type Here = SqlClient.SqlClient | CurrentTenant
/** A change that can lead to calls is refused to a caller that may not dial. */
type NotPermitted = MissingRole | MissingScope

export class CampaignControl extends Context.Service<
  CampaignControl,
  {
    /**
     * Creates a draft from an upload, completely or not at all. `around` runs in the same transaction: its writes are
     * committed with the campaign, or not at all.
     */
    readonly create: <A, E, R>(
      upload: Upload,
      around: (
        create: Effect.Effect<
          Row,
          Invalid | UnknownReference | ListTooLarge | NotPermitted | SqlError.SqlError,
          Here | CurrentPrincipal
        >,
      ) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | SqlError.SqlError, Exclude<R, SqlClient.SqlClient> | CurrentTenant>
    /** Makes a draft with the campaign's settings and the chosen contacts. It has no start time. */
    readonly copy: (id: string, choice: CopyCampaign) => Effect.Effect<Row, NotFound | Invalid | InvalidState, Here>
    readonly update: (
      id: string,
      change: CampaignChange,
      ifMatch: string | undefined,
    ) => Effect.Effect<
      Row,
      NotFound | Invalid | InvalidState | UnknownReference | BudgetExceeded | PreconditionFailed | NotPermitted,
      Here | CurrentPrincipal
    >
    readonly start: (id: string) => Effect.Effect<Row, NotFound | InvalidState | BudgetExceeded, Here>
    readonly resume: (id: string) => Effect.Effect<Row, NotFound | InvalidState | BudgetExceeded, Here>
    readonly pause: (id: string) => Effect.Effect<Row, NotFound | InvalidState, Here>
    readonly stop: (id: string) => Effect.Effect<Row, NotFound | InvalidState, Here>
    readonly remove: (
      id: string,
      ifMatch?: string,
    ) => Effect.Effect<void, NotFound | InvalidState | PreconditionFailed, Here>
    readonly moveCallback: (
      campaign: string,
      contact: string,
      at: Date,
    ) => Effect.Effect<ContactDetail, NotFound | InvalidState | Invalid, Here>
    readonly cancelCallback: (
      campaign: string,
      contact: string,
    ) => Effect.Effect<ContactDetail, NotFound | InvalidState, Here>
    /** Adds contacts to a campaign that has not ended, and changes those whose `external_id` it has. */
    readonly addContacts: (
      id: string,
      contacts: ReadonlyArray<NewContact>,
    ) => Effect.Effect<AddedContacts, NotFound | Invalid | InvalidState | NotPermitted, Here | CurrentPrincipal>
    /** Withdraws a contact: no attempt begins any more. */
    readonly withdraw: (id: string, contact: string) => Effect.Effect<ContactDetail, NotFound | InvalidState, Here>
    readonly withdrawMany: (
      id: string,
      external_ids: ReadonlyArray<string>,
    ) => Effect.Effect<WithdrawnContacts, NotFound, Here>
    /** Sets what came of a call, which may end its contact. */
    readonly setDisposition: (
      call: string,
      key: string,
    ) => Effect.Effect<void, NotFound | Invalid, Here | CurrentPrincipal>
  }
>()("campaigns/CampaignControl") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const copy = yield* Copy
      const provide = yield* capture(CampaignSignals, Placement, RulePacks)
      return {
        create: (upload, around) => copy.transaction((into) => around(provide(create(upload, into)))),
        copy: (id, choice) => provide(copyCampaign(id, choice)),
        update: (id, change, ifMatch) => provide(update(id, change, ifMatch)),
        start: (id) => provide(start(id)),
        resume: (id) => provide(resume(id)),
        pause: (id) => provide(pause(id)),
        stop: (id) => provide(stop(id)),
        remove: (id, ifMatch) => provide(Effect.asVoid(remove(id, ifMatch))),
        moveCallback: (campaign, contact, at) => provide(CallbackControl.move(campaign, contact, at)),
        cancelCallback: (campaign, contact) => provide(CallbackControl.cancel(campaign, contact)),
        addContacts: (id, contacts) => provide(ContactAdditions.add(id, contacts)),
        withdraw: (id, contact) => provide(ContactWithdrawal.withdraw(id, contact)),
        withdrawMany: (id, external_ids) => provide(ContactWithdrawal.withdrawMany(id, external_ids)),
        setDisposition: (call, key) => provide(CallDispositions.set(call, key)),
      }
    }),
  )
}

/** Places the campaign before the commit that gives it work, and signals the change after it. */
const announce = Effect.fnUntraced(function* (campaign: Row) {
  const placement = yield* Placement
  if (campaign.status === "running") yield* placement.add(campaign.id, null)
  if (campaign.status === "draft" && campaign.scheduled_at !== null) {
    yield* placement.add(campaign.id, campaign.scheduled_at)
  }
  yield* announceAfterCommit(campaign.id)
  return campaign
})

/** Starts all due drafts, which may include this campaign, and returns the campaign as it is afterwards. */
const startIfDue = Effect.fnUntraced(
  function* (id: string) {
    const { started } = yield* startDue()
    for (const other of started) if (other !== id) yield* announce(yield* Campaigns.find(other))
    return yield* announce(yield* Campaigns.find(id))
  },
  Effect.catchTag("NotFound", Effect.die),
)

const create = Effect.fnUntraced(function* (upload: Upload, into: CopyInto) {
  const id = uuidv7()
  yield* Campaigns.reserve(id)
  const imported = yield* ContactImport.run(id, upload.contacts, into)
  if (ConsentColumns.hasConsents(imported.columns)) yield* ConsentColumns.record(id)
  const settings = yield* upload.settings
  if (settings.scheduled_at !== null) yield* requirePermission("dial")
  const subject = { ...settings, id, agent_version: null, columns: imported.columns }
  const variables = yield* VariableCheck.makeReport(subject)
  // A slow upload has delayed no other request so far. From here on, the account's other transactions wait for this
  // one.
  const sql = yield* SqlClient.SqlClient
  yield* sql`set local idle_in_transaction_session_timeout = 5000`
  const { now } = yield* lockBudget()
  yield* checkConcurrency(settings.max_concurrent_calls)
  yield* checkWindow(id, settings.calling_window, now)
  yield* checkReferences(settings)
  yield* checkPool(settings)
  yield* SpendCheck.checkSetting(settings)
  const packs = yield* CampaignRules.choose(settings.rule_packs, numbersOf(settings))
  yield* Campaigns.complete(id, settings, imported, variables)
  yield* CampaignRules.store(id, packs)
  return yield* settings.scheduled_at === null ? Effect.orDie(Campaigns.find(id)) : startIfDue(id)
})

const copyCampaign = Effect.fn("CampaignControl.copy")(
  function* (from: string, { name, ...choice }: CopyCampaign) {
    const source = yield* Campaigns.find(from)
    if (choice.dispositions !== undefined) yield* CopyDispositions.check(source, choice.dispositions)
    const id = uuidv7()
    yield* Campaigns.reserve(id)
    const report = yield* ContactCopy.copy(source, id, choice)
    const caller_numbers = yield* stillUsable(source)
    const imported = yield* Campaigns.readImportRules(source.id)
    const own = { ...settingsOf(source), ...imported, name, scheduled_at: null, caller_numbers }
    const subject = { ...own, id, agent_version: null, columns: source.columns }
    yield* Campaigns.complete(id, own, { columns: source.columns, report }, yield* VariableCheck.makeReport(subject))
    yield* CampaignRules.store(id, source.rules)
    yield* AuditTrail.write(id)
    return yield* announce(yield* Effect.orDie(Campaigns.find(id)))
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

const update = Effect.fn("CampaignControl.update")(
  function* (id: string, { loosen_rules = false, ...change }: CampaignChange, ifMatch: string | undefined) {
    const { now } = yield* lockBudget()
    const present = yield* Campaigns.findForUpdate(id)
    yield* checkMatch(ifMatch, present.revision)
    const settings = { ...settingsOf(present), ...change }
    settings.max_spend = canonicalOrNull(settings.max_spend)
    const changed = differences(settingsOf(present), settings)
    if (changed.length === 0) return present
    const refused = changed.filter((field) => !mayChange(present, field))
    if (refused.length > 0) {
      const reason = `In a ${present.status} campaign you cannot change ${refused.join(", ")}`
      return yield* new InvalidState({ state: present.status, detail: reason })
    }
    const loosened = present.rule_packs.filter((pack) => !settings.rule_packs.includes(pack))
    if (present.status !== "draft" && loosened.length > 0 && !loosen_rules) return yield* keepsRules(present, loosened)
    if (leadsToCalls(present, settings, changed)) yield* requirePermission("dial")
    if (changed.includes("max_concurrent_calls")) yield* checkRoom(present, settings.max_concurrent_calls)
    if (changed.includes("calling_window")) yield* checkWindow(id, settings.calling_window, now)
    if (changed.some((field) => field === "agent_id" || field === "phone_number_id")) {
      yield* checkReferences(settings)
    }
    const isOtherPool = changed.some((field) => field === "caller_numbers" || field === "phone_number_id")
    if (isOtherPool) yield* checkPool(settings)
    if (changed.some((field) => field === "max_spend" || field === "phone_number_id")) {
      yield* SpendCheck.checkSetting(settings)
    }
    // The number decides on the packs that ask for a series of numbers.
    const packs =
      changed.includes("rule_packs") || (isOtherPool && settings.rule_packs.length > 0)
        ? yield* CampaignRules.choose(settings.rule_packs, numbersOf(settings), keptBy(present))
        : null
    yield* Campaigns.change(id, settings)
    if (packs !== null) yield* CampaignRules.store(id, packs)
    if (loosened.length > 0) yield* CampaignRules.lookAgain(id)
    if (settings.retries_per_contact < present.retries_per_contact) {
      yield* Campaigns.failUsedUp(id, settings.retries_per_contact)
      yield* Campaigns.endFinished([id])
    }
    // A draft that waited for the budget may now have another start time, or none.
    if (present.status === "draft") yield* Campaigns.markWaiting(id, null)
    yield* AuditTrail.write()
    return yield* settings.scheduled_at === null || present.status !== "draft"
      ? Effect.flatMap(Campaigns.find(id), announce)
      : startIfDue(id)
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

const operate = <E>(
  operation: Operation,
  effects: (campaign: Row) => Effect.Effect<void, E | SqlError.SqlError, SqlClient.SqlClient | RulePacks>,
) =>
  Effect.fn(`CampaignControl.${operation}`)(
    function* (id: string) {
      yield* lockBudget()
      const campaign = yield* Campaigns.findForUpdate(id)
      const to = yield* Effect.fromResult(move(campaign.status, operation))
      if (to === "unchanged") return campaign
      yield* effects(campaign)
      yield* AuditTrail.write()
      return yield* announce(to === "removed" ? campaign : yield* Campaigns.find(id))
    },
    transaction,
    Effect.catchTag("SqlError", Effect.die),
  )

const begin = (campaign: Row) =>
  Effect.all([
    SpendCheck.checkStart(campaign),
    CampaignRules.freezeAll([campaign.id]),
    CampaignBudget.claim(campaign.id, campaign.max_concurrent_calls),
  ])
const start = operate("start", begin)
const resume = operate("resume", begin)
const pause = operate("pause", ({ id }) => Campaigns.markPaused(id))
const stop = operate("stop", ({ id }) => Campaigns.end(id, "stopped"))
const remove = (id: string, ifMatch?: string) =>
  operate("delete", ({ id, revision }) => Effect.andThen(checkMatch(ifMatch, revision), Campaigns.remove(id)))(id)

/**
 * Fails if `requested` exceeds the account's `concurrent_max`, which no campaign may. The caller holds the budget's
 * lock.
 */
const checkConcurrency = Effect.fnUntraced(function* (requested: number) {
  const { concurrent_max } = yield* CampaignBudget.read()
  if (requested > concurrent_max) {
    return yield* invalid("/max_concurrent_calls", `must be between 1 and ${concurrent_max}, your account's limit`)
  }
  return concurrent_max
})

/**
 * Fails if a changed `max_concurrent_calls` has no room. The calls of a running campaign must also fit into the budget
 * together with those of the others.
 */
const checkRoom = Effect.fnUntraced(function* ({ id, status }: Row, requested: number) {
  const concurrent_max = yield* checkConcurrency(requested)
  if (status === "running") yield* CampaignBudget.check(id, requested, concurrent_max)
})

/** Both rows are locked, so that they cannot be deleted until the transaction ends. */
const checkReferences = Effect.fnUntraced(function* (
  named: Pick<Campaigns.CampaignSettings, "agent_id" | "phone_number_id">,
) {
  const sql = yield* SqlClient.SqlClient
  const agents = yield* sql`select from agents where id = ${named.agent_id} for key share`
  const numbers = yield* sql`select from phone_numbers where id = ${named.phone_number_id} for key share`
  const errors = [
    ...(agents.length > 0
      ? []
      : [{ pointer: "/agent_id", detail: `refers to an unknown agent of this account: ${named.agent_id}` }]),
    ...(numbers.length > 0
      ? []
      : [
          {
            pointer: "/phone_number_id",
            detail: `refers to an unknown phone number of this account: ${named.phone_number_id}`,
          },
        ]),
  ]
  if (errors.length > 0) return yield* new UnknownReference({ errors })
})
