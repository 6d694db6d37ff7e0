/** The rows of conversations in writing: who may write them, what their next process reads, and how long they wait. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import * as CallLog from "../../../src/calls/ledger/CallLog.ts"
import * as ChatRows from "../../../src/calls/ledger/ChatRows.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { transaction } from "../../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const hashOf = (secret: string) => createHash("sha256").update(secret).digest()

const says = (record: CallRecord, role: "agent" | "caller", text: string) =>
  record.spoke(role, { text, at: new Date(0), started_ms: 0, ended_ms: 1 })

/** A conversation that `node` conducts. */
const begun = Effect.fnUntraced(function* (node: string, secret: string) {
  const { agent_id } = yield* CallsRoom.equip
  const visitor = { phone_number_id: null, to_number: null, from_number: null }
  const agent = { agent_id, agent_name: "Rosa", agent_version: 1 }
  const call = { direction: "web", variables: { plan: "gold" }, ...agent, ...visitor } as const
  const { id } = yield* CallLog.arrive(node, call)
  yield* ChatRows.begin(id, { secret_hash: hashOf(secret), session: "s", greeting: null })
  const record = new CallRecord()
  const add = (node: string, ids: ReadonlyArray<string>) => ChatRows.add(node, id, record.news, ids)
  return { id, record, add }
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })(
  "the rows of a conversation in writing",
  (it) => {
    const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.flatMap(newAccount(`a-${uuidv7()}`, CallsRoom.wide), (account) => within(account)(Effect.orDie(body))),
      )

    test(
      "are written by the process that conducts it, and by no other",
      Effect.gen(function* () {
        const [one, two] = [uuidv7(), uuidv7()]
        const { add, record } = yield* begun(one, "secret")
        says(record, "caller", "Hello?")
        assert.strictEqual(yield* add(two, ["m1"]), "lost")
        assert.strictEqual(yield* add(one, ["m1"]), "written")
        // The answer to the commit was lost.
        assert.strictEqual(yield* add(one, ["m1"]), "written")
        record.keep(record.news.to)
        says(record, "agent", "Good day.")
        const taken = yield* transaction(ChatRows.takeOver(two, hashOf("secret")))
        assert.strictEqual(yield* add(one, ["m1"]), "lost")
        assert.deepStrictEqual(
          taken?.transcript.map(({ text }) => text),
          ["Hello?"],
        )
        assert.deepInclude(taken, { message_ids: ["m1"], variables: { plan: "gold" }, agent_version: 1, session: "s" })
      }),
    )

    test(
      "have each entry once, also if the answer to a commit was lost and more was said in the meantime",
      Effect.gen(function* () {
        const node = uuidv7()
        const { add, record } = yield* begun(node, "secret")
        says(record, "caller", "Hello?")
        assert.strictEqual(yield* add(node, ["m1"]), "written")
        says(record, "caller", "Anybody there?")
        says(record, "agent", "Good day.")
        assert.strictEqual(yield* add(node, ["m1", "m2"]), "written")
        record.keep(record.news.to)
        says(record, "caller", "At last.")
        assert.strictEqual(yield* add(node, ["m1", "m2", "m3"]), "written")
        const taken = yield* transaction(ChatRows.takeOver(uuidv7(), hashOf("secret")))
        assert.deepStrictEqual(
          taken?.transcript.map(({ text }) => text),
          ["Hello?", "Anybody there?", "Good day.", "At last."],
        )
        assert.deepStrictEqual(taken?.message_ids, ["m1", "m2", "m3"])
      }),
    )

    test(
      "are found by the secret, which they do not contain, until the call has ended",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const node = uuidv7()
        const { id } = yield* begun(node, "secret")
        assert.deepStrictEqual(yield* ChatRows.find(hashOf("secret")), { call_id: id, node_id: node })
        assert.isUndefined(yield* ChatRows.find(hashOf("Secret")))
        assert.isUndefined(yield* transaction(ChatRows.takeOver(uuidv7(), hashOf("Secret"))))
        const [row] = yield* sql<{ text: string }>`select l::text as text from live_chats l`
        assert.notInclude(row?.text, "secret")
        yield* sql`update calls set status = 'completed', outcome = 'answered', ended_at = started_at where id = ${id}`
        assert.isUndefined(yield* ChatRows.find(hashOf("secret")))
        assert.deepStrictEqual(yield* sql`select * from live_chats`, [])
      }),
    )

    test(
      "wait a minute, counted from the moment in which no process was found to conduct it",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [dead, two] = [uuidv7(), uuidv7()]
        const { id } = yield* begun(dead, "secret")
        assert.isFalse(yield* ChatRows.anyWaits)
        assert.deepStrictEqual([...(yield* ChatRows.findWaiting([{ id, node_id: dead }]))], [id])
        assert.isTrue(yield* ChatRows.anyWaits)
        yield* sql`update live_chats set waits_since = waits_since - interval '61 seconds'`
        assert.deepStrictEqual([...(yield* ChatRows.findWaiting([{ id, node_id: dead }]))], [])
        yield* transaction(ChatRows.takeOver(two, hashOf("secret")))
        // A process has read before that a dead one had it.
        assert.deepStrictEqual([...(yield* ChatRows.findWaiting([{ id, node_id: dead }]))], [])
        assert.isFalse(yield* ChatRows.anyWaits)
        assert.deepStrictEqual([...(yield* ChatRows.findWaiting([{ id, node_id: two }]))], [id])
        assert.isTrue(yield* ChatRows.giveUp(id))
        assert.deepStrictEqual([...(yield* ChatRows.findWaiting([{ id, node_id: two }]))], [])
      }),
    )

    test(
      "wait for no page after the conversation was given up, even if its process was not known to be dead",
      Effect.gen(function* () {
        const node = uuidv7()
        const { add, id, record } = yield* begun(node, "secret")
        assert.isFalse(yield* ChatRows.giveUp(id))
        // Its process is alive after all, and still writes.
        says(record, "caller", "Hello?")
        assert.strictEqual(yield* add(node, ["m1"]), "written")
        assert.isUndefined(yield* transaction(ChatRows.takeOver(uuidv7(), hashOf("secret"))))
        assert.deepStrictEqual([...(yield* ChatRows.findWaiting([{ id, node_id: node }]))], [])
      }),
    )
  },
)
