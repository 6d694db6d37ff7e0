/**
 * The whole story, from nothing to a finished campaign, through the public REST API only:
 *
 *     npm run demo
 *     npm run demo -- --stay     leaves the server running until Ctrl-C
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { type CalledBack, callBackNow, describeCallback, waitsForCallbacks } from "./callbacks.ts"
import { type ContactDetail, contactsOf, saveResults, start, upload } from "./campaign.ts"
import { costsOf, describeCosts } from "./costs.ts"
import { followToEnd } from "./follow.ts"
import { type Parley, ParleyError } from "./parley.ts"
import { folder, subject, tryOnceMore } from "./rules.ts"
import { serve, type Server } from "./serve.ts"
import { attachFaqs, attachPlaybook, makeAccount, makeAgent, makePhoneNumber } from "./setup.ts"
import * as show from "./show.ts"
import { enableTools, makeTool, tryTool } from "./tools.ts"
import { showOneCall } from "./transcript.ts"
import { openWorkshop } from "./workshop.ts"

const account = "harbor-fleet"
const contactsFile = join(import.meta.dirname, "contacts.csv")
const resultsFile = join(import.meta.dirname, "results.csv")

/** A minute of phone time takes a second, http tools may call this machine, and there are prices and a rule pack of its own. */
const settings = {
  LAB_SPEED: "60",
  DRAIN_SECONDS: "3",
  PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
  PARLEY_PRICES_FILE: join(import.meta.dirname, "prices.json"),
  PARLEY_RULES_DIR: folder,
}

const story = async (url: string) => {
  const parley = await makeAccount(url, account)
  show.step("Account", `${account}, with a database of its own; up to 50 calls at once`)

  const agent = await makeAgent(parley)
  const tool = await makeTool(parley, await openWorkshop())
  const tools = await enableTools(parley, agent.id, tool.name)
  const playbook = await attachPlaybook(parley, agent.id)
  const faqs = await attachFaqs(parley, agent.id)
  show.step("Agent", `${agent.name}: ${tools} tools, playbook ${playbook.name}, ${faqs} FAQs`)
  show.step("Own tool", await tryTool(parley, tool.name, { date: "2027-03-14" }))

  const number = await makePhoneNumber(parley)
  const draft = await upload(parley, contactsFile, {
    name: "March service appointments",
    agent_id: agent.id,
    phone_number_id: number.id,
    max_concurrent_calls: 20,
    retries_per_contact: 2,
    callbacks_per_contact: 1,
    max_spend: "50.00",
    subject,
    // Minutes or hours in production. Retry delays are in real time, even where the lab's phones are 60 times faster.
    retry_delay_seconds: 3,
  })
  const { accepted, invalid, rows } = draft.import
  show.step("Contacts", `${rows} rows of contacts.csv: ${accepted} accepted, ${invalid} invalid`)

  const campaign = await start(parley, draft.id)
  show.step("Campaign", `${campaign.name} is ${campaign.status}`)
  const progress = show.progress(accepted)
  let calledBack: ReadonlyArray<CalledBack> = []
  const last = await followToEnd(parley, campaign.id, async (snapshot) => {
    progress.show(snapshot)
    if (calledBack.length === 0 && waitsForCallbacks(snapshot)) calledBack = await callBackNow(parley, campaign.id)
  }).finally(progress.end)
  const [first] = calledBack
  if (first === undefined) throw new Error("No contact asked to be called back.")
  show.step("Callbacks", `${calledBack.length} people asked for one, the first ${describeCallback(first)}`)
  const contacts = await contactsOf(parley, campaign.id)

  show.title(`The campaign is ${last.status}`)
  show.outcomes(contacts, last)
  await showOneCall(parley, contacts)
  await checkCalledBack(parley, campaign.id, first)

  show.title("A rule")
  console.log(`  ${await tryOnceMore(parley, contacts, { agent_id: agent.id, phone_number_id: number.id })}`)

  await saveResults(parley, campaign.id, resultsFile)
  show.title("Results")
  console.log(
    `  ${resultsFile}\n  A row a contact, with what the agent noted: confirmed, replacement_vehicle, preferred_date …`,
  )

  show.title("What it cost")
  console.log(describeCosts(await costsOf(parley, campaign.id), last))

  const ended = last.counts.completed + last.counts.failed + last.counts.skipped
  if (last.status !== "completed" || ended !== rows || contacts.length !== rows) {
    throw new Error(`Of ${rows} rows, ${contacts.length} are contacts and ${ended} came to an end: something was lost.`)
  }
  console.log(`\n  ${ended} of ${rows} contacts accounted for.`)
}

/** The person was called at the time to which the callback was moved, in a call of its own. */
const checkCalledBack = async (parley: Parley, campaignId: string, { id }: CalledBack) => {
  const contact = await parley.get<ContactDetail>(`/api/v1/campaigns/${campaignId}/contacts/${id}`)
  const callback = contact.attempt_log.find(({ decision }) => decision.rule === "callback")
  if (callback === undefined) throw new Error("The person who asked for a callback was not called back.")
  const { due_at } = callback.decision
  show.title("A callback")
  console.log(
    `  ${contact.custom_fields["first_name"]} was dialled ${Date.parse(callback.started_at) - Date.parse(due_at)} ms after the time of the callback: ${callback.outcome}.`,
  )
}

/** The log has details that the server must not put into a response. */
const explain = (cause: unknown, server: Server | undefined): string => {
  const log = cause instanceof ParleyError && cause.problem.status >= 500 ? (server?.said() ?? "") : ""
  return (cause instanceof Error ? cause.message : String(cause)) + log
}

const stay = process.argv.includes("--stay")
const stopped = new AbortController()
const stop = () => {
  show.hint("\n  Stopping the server …")
  stopped.abort()
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop)
// The reader of the pipe is gone, as in `npm run demo | head`.
process.stdout.on("error", () => stopped.abort())

let server: Server | undefined
let finished = false
try {
  show.title("Parley: a phone campaign from nothing, in a phone network that is a simulation")
  const began = Date.now()
  // With `--stay` the user looks at the results in the console.
  if (stay) await once(spawn(process.execPath, [join(import.meta.dirname, "../apps/build.ts")]), "exit")
  server = await serve(settings, stopped.signal)
  show.step("Server", `${server.url}, on a PostgreSQL of its own`)
  await Promise.race([story(server.url), server.ended])
  finished = true
  show.hint(`  All of it in ${Math.round((Date.now() - began) / 1000)} s.`)
  if (stay) {
    show.howToSignIn(server.url, account)
    await server.ended
  }
} catch (cause) {
  if (!stopped.signal.aborted) console.error(`\nThe demo failed. ${explain(cause, server)}`)
} finally {
  await server?.stop()
}
process.exit(finished ? 0 : stopped.signal.aborted ? 130 : 1)
