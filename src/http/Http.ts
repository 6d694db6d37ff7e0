/**
 * Every route of the process, and the edge around them. The server underneath (Node's, or a test's) is supplied from
 * outside.
 */
import { Effect, Layer, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AdminHttp from "./AdminHttp.ts"
import * as AgentKitHttp from "./AgentKitHttp.ts"
import * as AgentsHttp from "./AgentsHttp.ts"
import * as AgentVersionsHttp from "./AgentVersionsHttp.ts"
import { Api } from "./Api.ts"
import * as ApiKeysHttp from "./ApiKeysHttp.ts"
import * as AuditHttp from "./AuditHttp.ts"
import * as CallbacksHttp from "./CallbacksHttp.ts"
import * as CallsHttp from "./CallsHttp.ts"
import * as CampaignCallbacksHttp from "./CampaignCallbacksHttp.ts"
import * as CampaignContactsHttp from "./CampaignContactsHttp.ts"
import * as CampaignEventsHttp from "./CampaignEventsHttp.ts"
import * as CampaignPreflightHttp from "./CampaignPreflightHttp.ts"
import * as CampaignsHttp from "./CampaignsHttp.ts"
import * as ConsoleHttp from "./ConsoleHttp.ts"
import * as ContactChangesHttp from "./ContactChangesHttp.ts"
import * as EventsHttp from "./EventsHttp.ts"
import * as CarrierStreamsHttp from "./CarrierStreamsHttp.ts"
import * as CarriersHttp from "./CarriersHttp.ts"
import * as ExportsHttp from "./ExportsHttp.ts"
import * as FaqsHttp from "./FaqsHttp.ts"
import * as LoginHttp from "./LoginHttp.ts"
import * as OperationsHttp from "./OperationsHttp.ts"
import * as PeopleHttp from "./PeopleHttp.ts"
import * as PhoneNumbersHttp from "./PhoneNumbersHttp.ts"
import * as PlaybooksHttp from "./PlaybooksHttp.ts"
import * as PlaygroundHttp from "./PlaygroundHttp.ts"
import * as ReceiptsHttp from "./ReceiptsHttp.ts"
import * as RulePacksHttp from "./RulePacksHttp.ts"
import * as ScenarioRunsHttp from "./ScenarioRunsHttp.ts"
import * as CallerNumbersHttp from "./CallerNumbersHttp.ts"
import * as ConsentsHttp from "./ConsentsHttp.ts"
import * as SuppressionListsHttp from "./SuppressionListsHttp.ts"
import * as SuppressionsHttp from "./SuppressionsHttp.ts"
import * as ToolsHttp from "./ToolsHttp.ts"
import * as TrpcHttp from "./TrpcHttp.ts"
import * as TakeoverSocketHttp from "./TakeoverSocketHttp.ts"
import * as TrpcSocketHttp from "./TrpcSocketHttp.ts"
import * as WebhooksHttp from "./WebhooksHttp.ts"
import * as WidgetFileHttp from "./WidgetFileHttp.ts"
import * as WidgetHttp from "./WidgetHttp.ts"
import * as WidgetSocketHttp from "./WidgetSocketHttp.ts"
import * as WidgetKeysHttp from "./WidgetKeysHttp.ts"
import { Audited } from "./edge/Audited.ts"
import { Administration, Authentication } from "./edge/Authentication.ts"
import { DevelopmentOnly } from "./LoginApi.ts"
import { StrictBody } from "./edge/Body.ts"
import * as Edge from "./edge/Edge.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { OpenStreams } from "./edge/OpenStreams.ts"
import { RateLimit } from "./edge/RateLimit.ts"
import * as RouteTable from "./edge/RouteTable.ts"
import { VisitorLimit } from "./edge/VisitorLimit.ts"
import { WidgetServerKey } from "./edge/WidgetServerKey.ts"

const groups = Layer.mergeAll(
  ToolsHttp.layer,
  PlaybooksHttp.layer,
  FaqsHttp.layer,
  AgentsHttp.layer,
  AgentKitHttp.layer,
  AgentVersionsHttp.layer,
  ScenarioRunsHttp.layer,
  PhoneNumbersHttp.layer,
  PlaygroundHttp.layer,
  CampaignsHttp.layer,
  CampaignsHttp.creation,
  CampaignContactsHttp.layer,
  CampaignCallbacksHttp.layer,
  CallbacksHttp.layer,
  ContactChangesHttp.layer,
  CampaignEventsHttp.layer,
  CampaignPreflightHttp.layer,
  RulePacksHttp.layer,
  CallsHttp.layer,
  SuppressionsHttp.layer,
  SuppressionListsHttp.layer,
  CallerNumbersHttp.layer,
  ConsentsHttp.layer,
  ConsentsHttp.layerExport,
  ReceiptsHttp.layer,
  ReceiptsHttp.layerExport,
  PeopleHttp.layer,
  ExportsHttp.layer,
  ApiKeysHttp.layer,
  WidgetKeysHttp.layer,
  WebhooksHttp.layer,
  EventsHttp.layer,
  AuditHttp.layer,
  AdminHttp.layer,
  LoginHttp.layer,
  WidgetHttp.layer,
  WidgetHttp.server,
)

const middleware = Layer.mergeAll(
  Authentication.layer,
  Administration.layer,
  Audited.layer,
  Idempotent.layer,
  StrictBody.layer,
  InvalidRequest.layer,
  DevelopmentOnly.layer,
  WidgetServerKey.layer,
)

type AskedOf<R> = HttpRouter.Request.Only<"Requires", R>

/**
 * Handlers run with the services that their group was built with. The services that they need at run time are therefore
 * required when the group is built.
 */
const withWhatItWasBuilt = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  layer as Layer.Layer<A, E, HttpRouter.Request.Without<R> | AskedOf<R>>

const contract = withWhatItWasBuilt(HttpApiBuilder.layer(Api).pipe(Layer.provide(groups), Layer.provide(middleware)))

/** Routes outside the contract get the same services. */
const beside = Layer.mergeAll(
  OperationsHttp.layer,
  CarriersHttp.layer,
  CarrierStreamsHttp.layer,
  ConsoleHttp.layer,
  TakeoverSocketHttp.layer,
  TrpcHttp.layer,
  TrpcSocketHttp.layer,
  WidgetFileHttp.layer,
  WidgetSocketHttp.layer,
)
type AskedBeside = AskedOf<Layer.Services<typeof beside>>
const built = HttpRouter.middleware<{ provides: AskedBeside }>()(
  Effect.map(Effect.context<AskedBeside>(), (context) => Effect.provideContext(context)),
)
const handlers = Layer.merge(contract, beside.pipe(Layer.provide(built.layer)))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(handlers).pipe(
      Effect.provideService(HttpRouter.RouterConfig, RouteTable.config),
    )
    const routes = RouteTable.make(Api, {
      GET: [
        ...OperationsHttp.paths,
        ...ConsoleHttp.paths,
        ...CarrierStreamsHttp.paths,
        TakeoverSocketHttp.path,
        TrpcHttp.path,
        TrpcSocketHttp.path,
        ...WidgetFileHttp.paths,
        WidgetSocketHttp.path,
      ],
      POST: [...CarriersHttp.paths, TrpcHttp.path],
    })
    const edge = yield* Edge.make(routes)
    const server = yield* HttpServer.HttpServer
    const scope = yield* Effect.scope
    yield* server.serve(edge(app)).pipe(Scope.provide(scope), Effect.updateContext(Edge.references(routes)))
  }),
).pipe(Layer.provide([RateLimit.layer, ClientAddress.layer, VisitorLimit.layer, OpenStreams.layer]))
