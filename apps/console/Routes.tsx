/** Every page and its URL. Each page's code is a separate chunk, loaded when its link is hovered. */
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router"
import { AccountFrame } from "./AccountFrame.tsx"
import { CampaignFrame } from "./pages/campaign/CampaignFrame.tsx"
import * as Search from "./Search.ts"
import { currentToken } from "./session/Session.ts"
import { NotFoundPage } from "./shell/NotFoundPage.tsx"
import { lazyPage } from "./shell/LazyPage.ts"
import { PageFailed } from "./shell/PageFailed.tsx"
import { FirstLoad } from "./shell/FirstLoad.tsx"

const root = createRootRouteWithContext()({ component: Outlet, notFoundComponent: NotFoundPage })

/** Without a session, leads to the sign-in, which returns to this exact URL. */
const signedIn = ({ location }: { readonly location: { readonly href: string } }) => {
  if (currentToken() === null) throw redirect({ to: "/sign-in", search: { next: location.href } })
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: Search.SignInSearch,
  component: lazyPage(() => import("./pages/sign-in/SignInPage.tsx"), "SignInPage"),
})

const signedInAgain = createRoute({
  getParentRoute: () => root,
  path: "/signed-in",
  validateSearch: Search.SignedInSearch,
  component: lazyPage(() => import("./pages/sign-in/SignedInPage.tsx"), "SignedInPage"),
})

const chooseAccount = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: signedIn,
  validateSearch: Search.SignInSearch,
  component: lazyPage(() => import("./pages/sign-in/ChooseAccountPage.tsx"), "ChooseAccountPage"),
})

const adminAccounts = createRoute({
  getParentRoute: () => root,
  path: "/admin/accounts",
  beforeLoad: signedIn,
  validateSearch: Search.AccountsSearch,
  component: lazyPage(() => import("./pages/admin/AccountsPage.tsx"), "AccountsPage"),
})

const account = createRoute({
  getParentRoute: () => root,
  path: "/$account",
  beforeLoad: signedIn,
  component: AccountFrame,
})

const overview = createRoute({
  getParentRoute: () => account,
  path: "/",
  component: lazyPage(() => import("./pages/overview/OverviewPage.tsx"), "OverviewPage"),
})

const campaigns = createRoute({
  getParentRoute: () => account,
  path: "/campaigns",
  validateSearch: Search.CampaignsSearch,
  component: lazyPage(() => import("./pages/campaigns/CampaignsPage.tsx"), "CampaignsPage"),
})

const newCampaign = createRoute({
  getParentRoute: () => account,
  path: "/campaigns/new",
  validateSearch: Search.NewCampaignSearch,
  component: lazyPage(() => import("./pages/new-campaign/NewCampaignPage.tsx"), "NewCampaignPage"),
})

const campaign = createRoute({
  getParentRoute: () => account,
  path: "/campaigns/$id",
  component: CampaignFrame,
})

const campaignLive = createRoute({
  getParentRoute: () => campaign,
  path: "/",
  component: lazyPage(() => import("./pages/campaign/CampaignLivePage.tsx"), "CampaignLivePage"),
})

const campaignContacts = createRoute({
  getParentRoute: () => campaign,
  path: "/contacts",
  validateSearch: Search.ContactsSearch,
  component: lazyPage(() => import("./pages/campaign/CampaignContactsPage.tsx"), "CampaignContactsPage"),
})

const campaignCalls = createRoute({
  getParentRoute: () => campaign,
  path: "/calls",
  validateSearch: Search.CallsSearch,
  component: lazyPage(() => import("./pages/campaign/CampaignCallsPage.tsx"), "CampaignCallsPage"),
})

const campaignSettings = createRoute({
  getParentRoute: () => campaign,
  path: "/settings",
  component: lazyPage(() => import("./pages/campaign/CampaignSettingsPage.tsx"), "CampaignSettingsPage"),
})

const callbacks = createRoute({
  getParentRoute: () => account,
  path: "/callbacks",
  validateSearch: Search.CallbacksSearch,
  component: lazyPage(() => import("./pages/callbacks/CallbacksPage.tsx"), "CallbacksPage"),
})

const calls = createRoute({
  getParentRoute: () => account,
  path: "/calls",
  validateSearch: Search.CallsSearch,
  component: lazyPage(() => import("./pages/calls/CallsPage.tsx"), "CallsPage"),
})

const call = createRoute({
  getParentRoute: () => account,
  path: "/calls/$id",
  validateSearch: Search.CallSearch,
  component: lazyPage(() => import("./pages/calls/CallPage.tsx"), "CallPage"),
})

const agents = createRoute({
  getParentRoute: () => account,
  path: "/agents",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/agents/AgentsPage.tsx"), "AgentsPage"),
})

/** `tab` is one of prompt, playbooks, tools, faqs, voice, scenarios, versions. */
const agent = createRoute({
  getParentRoute: () => account,
  path: "/agents/$id/{-$tab}",
  validateSearch: Search.AgentSearch,
  component: lazyPage(() => import("./pages/agents/AgentPage.tsx"), "AgentPage"),
})

const tools = createRoute({
  getParentRoute: () => account,
  path: "/tools",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/catalog/ToolsPage.tsx"), "ToolsPage"),
})

const tool = createRoute({
  getParentRoute: () => account,
  path: "/tools/$id",
  component: lazyPage(() => import("./pages/catalog/ToolPage.tsx"), "ToolPage"),
})

const playbooks = createRoute({
  getParentRoute: () => account,
  path: "/playbooks/{-$id}",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/catalog/PlaybooksPage.tsx"), "PlaybooksPage"),
})

const faqs = createRoute({
  getParentRoute: () => account,
  path: "/faqs/{-$id}",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/catalog/FaqsPage.tsx"), "FaqsPage"),
})

const phoneNumbers = createRoute({
  getParentRoute: () => account,
  path: "/phone-numbers/{-$id}",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/reach/PhoneNumbersPage.tsx"), "PhoneNumbersPage"),
})

const doNotCall = createRoute({
  getParentRoute: () => account,
  path: "/do-not-call",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/reach/DoNotCallPage.tsx"), "DoNotCallPage"),
})

const consents = createRoute({
  getParentRoute: () => account,
  path: "/consents",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/reach/ConsentsPage.tsx"), "ConsentsPage"),
})

const rulePacks = createRoute({
  getParentRoute: () => account,
  path: "/rule-packs",
  component: lazyPage(() => import("./pages/reach/RulePacksPage.tsx"), "RulePacksPage"),
})

const receipts = createRoute({
  getParentRoute: () => account,
  path: "/receipts",
  component: lazyPage(() => import("./pages/reach/ReceiptsPage.tsx"), "ReceiptsPage"),
})

const person = createRoute({
  getParentRoute: () => account,
  path: "/people/$number",
  component: lazyPage(() => import("./pages/people/PersonPage.tsx"), "PersonPage"),
})

const apiKeys = createRoute({
  getParentRoute: () => account,
  path: "/api-keys",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/connect/ApiKeysPage.tsx"), "ApiKeysPage"),
})

const widgetKeys = createRoute({
  getParentRoute: () => account,
  path: "/widget-keys/{-$id}",
  validateSearch: Search.ListSearch,
  component: lazyPage(() => import("./pages/connect/WidgetKeysPage.tsx"), "WidgetKeysPage"),
})

const webhooks = createRoute({
  getParentRoute: () => account,
  path: "/webhooks/{-$id}",
  validateSearch: Search.WebhookSearch,
  component: lazyPage(() => import("./pages/connect/WebhooksPage.tsx"), "WebhooksPage"),
})

const accountSettings = createRoute({
  getParentRoute: () => account,
  path: "/account",
  component: lazyPage(() => import("./pages/account/AccountPage.tsx"), "AccountPage"),
})

const auditLog = createRoute({
  getParentRoute: () => account,
  path: "/audit-log",
  validateSearch: Search.AuditSearch,
  component: lazyPage(() => import("./pages/audit/AuditPage.tsx"), "AuditPage"),
})

const tree = root.addChildren([
  signIn,
  signedInAgain,
  chooseAccount,
  adminAccounts,
  account.addChildren([
    overview,
    campaigns,
    newCampaign,
    campaign.addChildren([campaignLive, campaignContacts, campaignCalls, campaignSettings]),
    callbacks,
    calls,
    call,
    agents,
    agent,
    tools,
    tool,
    playbooks,
    faqs,
    phoneNumbers,
    doNotCall,
    consents,
    rulePacks,
    receipts,
    person,
    apiKeys,
    widgetKeys,
    webhooks,
    accountSettings,
    auditLog,
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingComponent: FirstLoad,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
