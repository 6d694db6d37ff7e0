/** Every page of the console, by the names of the design's pictures and of their own. */

export interface Shown {
  readonly url: string
  readonly account: string
  readonly agent: string
  readonly tool: string
  /** Campaigns: one that runs, one that is a draft. */
  readonly live: string
  readonly draft: string
  readonly contact: string
  readonly call: string
}

export const pagesOf = (shown: Shown): ReadonlyArray<readonly [name: string, address: string]> => {
  const { account, agent, call, contact, draft, live, tool, url } = shown
  const base = `${url}/console/${account}`
  return [
    ["01-overview", base],
    ["02-campaigns", `${base}/campaigns`],
    ["03-new-campaign", `${base}/campaigns/new?draft=${draft}&step=contacts`],
    ["04-campaign-live", `${base}/campaigns/${live}`],
    ["05-contact-drawer", `${base}/campaigns/${live}/contacts?contact=${contact}`],
    ["06-call", `${base}/calls/${call}`],
    ["07-agent", `${base}/agents/${agent}`],
    ["08-tool", `${base}/tools/${tool}`],
    ["09-sign-in", `${url}/console/sign-in?account=${account}`],
    ["13-webhooks", `${base}/webhooks`],
    ["new-campaign-agent", `${base}/campaigns/new?draft=${draft}&step=agent`],
    ["new-campaign-pace", `${base}/campaigns/new?draft=${draft}&step=pace`],
    ["new-campaign-review", `${base}/campaigns/new?draft=${draft}&step=review`],
    ["campaign-contacts", `${base}/campaigns/${live}/contacts`],
    ["campaign-calls", `${base}/campaigns/${live}/calls`],
    ["campaign-settings", `${base}/campaigns/${live}/settings`],
    ["callbacks", `${base}/callbacks`],
    ["calls", `${base}/calls`],
    ["agents", `${base}/agents`],
    ...["playbooks", "tools", "faqs", "voice", "scenarios", "versions"].map(
      (tab) => [`agent-${tab}`, `${base}/agents/${agent}/${tab}`] as const,
    ),
    ["tools", `${base}/tools`],
    ["playbooks", `${base}/playbooks`],
    ["faqs", `${base}/faqs`],
    ["phone-numbers", `${base}/phone-numbers`],
    ["do-not-call", `${base}/do-not-call`],
    ["consents", `${base}/consents`],
    ["rule-packs", `${base}/rule-packs`],
    ["receipts", `${base}/receipts`],
    ["api-keys", `${base}/api-keys`],
    ["widget-keys", `${base}/widget-keys`],
    ["account", `${base}/account`],
    ["audit-log", `${base}/audit-log`],
    ["admin-accounts", `${url}/console/admin/accounts`],
  ]
}
