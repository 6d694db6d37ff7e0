/**
 * The playbooks and FAQs that every account starts with. Their texts are the files in this folder, each with a heading
 * and a text. The built-in tools that they name run inside the platform; a migration writes the rows of these tools.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { json } from "../../tenancy/Json.ts"

interface Words {
  readonly title: string
  readonly text: string
}

const read = (folder: "playbooks" | "faqs", name: string): Words => {
  const file = readFileSync(join(import.meta.dirname, folder, `${name}.md`), "utf8")
  const [, title = "", text = ""] = /^# (.+)\n([^]*)$/u.exec(file) ?? []
  return { title, text: text.trim() }
}

/** The id of a shipped row. Ids never change, since an account may have renamed the row. */
const idOf = (number: string) => `019aa000-0000-7000-8000-000000000${number}`

const playbook = (
  number: string,
  name: string,
  category: string,
  description: string,
  tool_names: ReadonlyArray<string>,
) => {
  const { text, title } = read("playbooks", name)
  return { id: idOf(number), name, display_name: title, description, prompt: text, tool_names, category }
}

const faq = (number: string, name: string, category: string) => {
  const { text, title } = read("faqs", name)
  return { id: idOf(number), name, question: title, answer: text, category }
}

export const playbooks = [
  playbook("101", "opt_out_manners", "compliance", "Honours, at once and for good, the wish not to be called again.", [
    "add_to_do_not_call",
    "end_call",
  ]),
  playbook("102", "voicemail_manners", "etiquette", "What to say to a voicemail within thirty seconds, and what not.", [
    "leave_voicemail",
  ]),
  playbook(
    "103",
    "ask_for_a_person",
    "etiquette",
    "Hands over without resistance when somebody wants to speak to a person.",
    ["transfer_call", "schedule_callback"],
  ),
  playbook(
    "104",
    "appointment_reminder",
    "conversation",
    "Reminds of an appointment, and finds out whether the person comes.",
    ["record_outcome", "schedule_callback", "end_call"],
  ),
  playbook("105", "survey", "conversation", "A few questions in the same words for everybody, and honest answers.", [
    "record_outcome",
    "schedule_callback",
    "end_call",
  ]),
  playbook(
    "106",
    "lead_qualification",
    "conversation",
    "Finds out what somebody who asked needs, and agrees on a next step.",
    ["lookup_faq", "record_outcome", "schedule_callback", "transfer_call", "end_call"],
  ),
  playbook(
    "107",
    "payment_reminder",
    "conversation",
    "Reminds the right person, and nobody else, of an open payment; takes no money.",
    ["record_outcome", "schedule_callback", "end_call"],
  ),
]

export const faqs = [
  faq("201", "are-you-a-robot", "about-this-call"),
  faq("202", "how-do-i-stop-these-calls", "about-this-call"),
  faq("203", "is-this-call-recorded", "about-this-call"),
  faq("204", "who-is-calling", "about-this-call"),
  faq("205", "where-did-you-get-my-number", "about-this-call"),
  faq("206", "how-do-i-know-this-is-genuine", "about-this-call"),
  faq("207", "how-long-will-this-take", "about-this-call"),
  faq("208", "what-happens-to-what-i-tell-you", "about-this-call"),
  faq("209", "can-i-speak-to-a-person", "about-this-call"),
  faq("210", "can-you-call-back-later", "about-this-call"),
  faq("211", "how-can-i-reach-you", "about-the-business"),
  faq("212", "what-are-your-opening-hours", "about-the-business"),
  faq("213", "can-i-pay-on-this-call", "payments"),
]

/** Identifies the shipped texts: with another digest, accounts' databases are created from another template. */
export const digest = createHash("sha256").update(JSON.stringify({ playbooks, faqs })).digest("hex").slice(0, 12)

/**
 * Updates the shipped texts in the account of the fiber's `SqlClient`. Rows that the account has changed stay as they
 * are, and so do its own rows of the same name.
 */
export const write = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into playbooks (id, name, display_name, description, prompt, tool_names, category, is_default)
    select s.id, s.name, s.display_name, s.description, s.prompt, s.tool_names, s.category, true
    from jsonb_populate_recordset(null::playbooks, ${json(playbooks)}) s
    where not exists (select from playbooks p where p.id = s.id and p.name <> s.name)
    on conflict (name) do update set
      display_name = excluded.display_name, description = excluded.description, prompt = excluded.prompt,
      tool_names = excluded.tool_names, category = excluded.category,
      revision = playbooks.revision + 1, updated_at = now()
    where playbooks.is_default and not playbooks.modified_from_default
      and (playbooks.display_name, playbooks.description, playbooks.prompt, playbooks.tool_names, playbooks.category)
        is distinct from
          (excluded.display_name, excluded.description, excluded.prompt, excluded.tool_names, excluded.category)`
  yield* sql`
    insert into faqs (id, name, question, answer, category, is_default)
    select s.id, s.name, s.question, s.answer, s.category, true
    from jsonb_populate_recordset(null::faqs, ${json(faqs)}) s
    where not exists (select from faqs f where f.id = s.id and f.name <> s.name)
    on conflict (name) do update set
      question = excluded.question, answer = excluded.answer, category = excluded.category,
      revision = faqs.revision + 1, updated_at = now()
    where faqs.is_default and not faqs.modified_from_default
      and (faqs.question, faqs.answer, faqs.category) is distinct from (excluded.question, excluded.answer, excluded.category)`
})
