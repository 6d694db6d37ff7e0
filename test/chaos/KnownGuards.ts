/** The guards beneath the promises, each by the words of its marker in the source, and the tests that fail without it. */

export interface Guard {
  /** Several if the promise still holds without one of them. They are removed together. */
  readonly markers: ReadonlyArray<string>
  /** The test file. */
  readonly suite: string
  /** Runs only the tests whose names contain this. */
  readonly tests?: string
}

const dialPass = "test/campaigns/DialTransaction.test.ts"
const callers = "test/campaigns/DialNumbers.test.ts"
const money = "test/campaigns/DialSpend.test.ts"
const moneyOfDay = "test/campaigns/DailySpend.test.ts"
const costs = "test/decisions/costs.test.ts"
const schema = "test/campaigns/Guards.test.ts"
const ownership = "test/calls/live/Ownership.test.ts"
const settlement = "test/domain/Settlement.test.ts"

export const guards: ReadonlyArray<Guard> = [
  { markers: ["a contact has at most one live call"], suite: schema },
  { markers: ["a phone number has at most one live call"], suite: schema },
  {
    markers: [
      "a waiting contact whose number is in a call is no candidate",
      "a fresh contact whose number is in a call waits for its end",
    ],
    suite: dialPass,
  },
  { markers: ["a number that stands twice in a batch is dialled once"], suite: dialPass },
  {
    markers: ["no number of a person is called while another one is in a call"],
    suite: "test/campaigns/PersonNumbers.test.ts",
  },
  { markers: ["only a pending contact is claimed"], suite: dialPass },
  { markers: ["a campaign has at most max_concurrent_calls running calls"], suite: dialPass },
  { markers: ["no call is admitted beyond concurrent_max"], suite: dialPass },
  { markers: ["the database refuses a call beyond concurrent_max"], suite: dialPass },
  {
    markers: ["admissions follow one another"],
    suite: "test/decisions/call-caps.test.ts",
    tests: "of ten calls placed at once",
  },
  { markers: ["a number that rests or has had its calls of the day begins none"], suite: callers },
  {
    markers: ["the database refuses a call beyond a number's max_calls_per_day"],
    suite: callers,
    tests: "by the table",
  },
  { markers: ["transactions that start campaigns, or begin or end calls, follow one another"], suite: schema },
  { markers: ["a campaign starts only if its calls fit the budget"], suite: schema },
  {
    markers: ["a contact has at most 1 + retries_per_contact attempts, and one more for each callback"],
    suite: settlement,
  },
  {
    markers: ["after one outcome a contact has at most as many retries as the campaign has for it"],
    suite: settlement,
  },
  {
    markers: ["after an unknown outcome a contact is dialled again only if its campaign allows it"],
    suite: settlement,
  },
  {
    markers: [
      "a contact is not dialled before its time has come",
      "a contact that waits for a time is no candidate before that time",
    ],
    suite: dialPass,
  },
  { markers: ["each attempt of a contact begins once"], suite: dialPass },
  { markers: ["a call is dialled only if its reservation fits the caps"], suite: money },
  { markers: ["a call is dialled only if its reservation fits the account's daily_spend_cap"], suite: costs },
  {
    markers: ["the database refuses a call beyond the campaign's max_spend, and one that reserved nothing"],
    suite: money,
  },
  {
    markers: ["the database refuses a dial beyond the account's daily_spend_cap, and one that reserved nothing"],
    suite: moneyOfDay,
  },
  { markers: ["only a running campaign dials"], suite: schema },
  { markers: ["a process that lost the campaign to another one no longer dials it"], suite: schema },
  {
    markers: ["a process does not conduct a call that another process owns"],
    suite: ownership,
    tests: "is not dialled by the process that intended it",
  },
  { markers: ["a call is ended only by the process that owns it"], suite: ownership },
  {
    markers: ["a conversation is written only by the process that conducts it"],
    suite: "test/calls/ledger/ChatRows.test.ts",
  },
  { markers: ["no call is admitted beyond calls_per_minute"], suite: dialPass },
  { markers: ["no call is admitted beyond calls_per_day"], suite: dialPass },
  { markers: ["the database refuses a call beyond calls_per_day"], suite: dialPass },
  { markers: ["no contact is dialled outside the calling window"], suite: dialPass },
  { markers: ["a number on the do-not-call list is not dialled"], suite: dialPass },
  { markers: ["an entry for a subject forbids calls about it"], suite: "test/campaigns/OptOutScope.test.ts" },
  { markers: ["no dial without a required consent"], suite: "test/campaigns/RequiredConsent.test.ts" },
  { markers: ["no dial in the quiet period after an answered call"], suite: "test/campaigns/NextCalls.test.ts" },
  { markers: ["no direct call is placed to a number on the do-not-call list"], suite: "test/decisions/calls.test.ts" },
  {
    markers: ["a direct call begins only with the consent that it requires"],
    suite: "test/decisions/consents.test.ts",
    tests: "a direct call",
  },
  {
    markers: ["a direct call begins only if the rule packs that it names permit it"],
    suite: "test/decisions/rule-packs.test.ts",
    tests: "direct calls",
  },
  { markers: ["a call ends once"], suite: dialPass },
  { markers: ["a report does not replace a later one"], suite: "test/domain/CarrierReport.test.ts" },
]
