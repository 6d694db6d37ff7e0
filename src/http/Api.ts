/** The whole documented surface, group by group. Contract only; annotations that hold for every group are here once. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AdminApi } from "./AdminApi.ts"
import { AgentKitApi } from "./AgentKitApi.ts"
import { AgentsApi } from "./AgentsApi.ts"
import { AgentVersionsApi } from "./AgentVersionsApi.ts"
import { ApiKeysApi } from "./ApiKeysApi.ts"
import { AuditApi } from "./AuditApi.ts"
import { CallbacksApi } from "./CallbacksApi.ts"
import { CallsApi } from "./CallsApi.ts"
import { CampaignCallbacksApi } from "./CampaignCallbacksApi.ts"
import { CampaignContactsApi } from "./CampaignContactsApi.ts"
import { CampaignPreflightApi } from "./CampaignPreflightApi.ts"
import { CampaignCreationApi, CampaignEventsApi, CampaignsApi } from "./CampaignsApi.ts"
import { ContactChangesApi } from "./ContactChangesApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { ExportsApi } from "./ExportsApi.ts"
import { FaqsApi } from "./FaqsApi.ts"
import { LoginApi } from "./LoginApi.ts"
import { PeopleApi } from "./PeopleApi.ts"
import { PhoneNumbersApi } from "./PhoneNumbersApi.ts"
import { PlaygroundApi } from "./PlaygroundApi.ts"
import { PlaybooksApi } from "./PlaybooksApi.ts"
import { ReceiptExportApi, ReceiptsApi } from "./ReceiptsApi.ts"
import { RulePacksApi } from "./RulePacksApi.ts"
import { ScenarioRunsApi } from "./ScenarioRunsApi.ts"
import { CallerNumbersApi } from "./CallerNumbersApi.ts"
import { ConsentExportApi, ConsentsApi } from "./ConsentsApi.ts"
import { SuppressionListsApi } from "./SuppressionListsApi.ts"
import { SuppressionsApi } from "./SuppressionsApi.ts"
import { ToolsApi } from "./ToolsApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"
import { WidgetApi, WidgetServerApi } from "./WidgetApi.ts"
import { WidgetKeysApi } from "./WidgetKeysApi.ts"

export class Api extends HttpApi.make("parley")
  .add(
    ToolsApi,
    PlaybooksApi,
    FaqsApi,
    AgentsApi,
    AgentKitApi,
    AgentVersionsApi,
    ScenarioRunsApi,
    PhoneNumbersApi,
    PlaygroundApi,
    CampaignCreationApi,
    CampaignsApi,
    CampaignContactsApi,
    CampaignCallbacksApi,
    CallbacksApi,
    ContactChangesApi,
    CampaignEventsApi,
    CampaignPreflightApi,
    RulePacksApi,
    CallsApi,
    SuppressionsApi,
    SuppressionListsApi,
    CallerNumbersApi,
    ConsentsApi,
    ConsentExportApi,
    ReceiptsApi,
    ReceiptExportApi,
    PeopleApi,
    ExportsApi,
    ApiKeysApi,
    WidgetKeysApi,
    WebhooksApi,
    EventsApi,
    AuditApi,
    AdminApi,
    LoginApi,
    WidgetApi,
    WidgetServerApi,
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  // The values of an answer were checked when they were written and read; their types are still checked.
  .annotate(HttpApi.SuccessParseOptions, { disableChecks: true })
  // An unknown field is a 400 (decisions §2, Updates), and so is an unknown query parameter (InvalidRequest). Unknown
  // headers are allowed.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(OpenApi.Title, "Parley")
  .annotate(OpenApi.Version, "0.1.0")
  .annotate(
    OpenApi.Description,
    "An open, multi-tenant voice-agent platform: agents that take part in phone calls, and campaigns that dial a contact list.",
  ) {}
