/** Recordings of real calls: Parley as a process of its own, the telephone baresip, RTP between them. */
import { assert, it, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Call } from "../../src/domain/Call.ts"
import { query } from "../support/AccountDatabase.ts"
import { baresip, baresipFault } from "../support/Baresip.ts"
import { caller, wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { listenTo } from "../support/Listener.ts"
import { objectServer } from "../support/ObjectServer.ts"
import { refused } from "../support/Problems.ts"
import { emptyFolder } from "../support/Process.ts"
import { isSilent, onsetOf, readRecording } from "../support/Recording.ts"
import { SipRoomOfFile, stageInRoom, type StageInRoom } from "../support/SipRoom.ts"
import { sipNumber } from "../support/SipTrunk.ts"
import { type Client, speak } from "../support/TestServer.ts"
import { heard, joined, silence, spoken } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"

const rate = 8_000
const to = "+14155550100"
const question = "what are your opening hours"
/** A softphone that stands still on a busy machine leaves a gap within a word, which is then heard twice. */
const isQuestion = (words: string) => words.replaceAll(/\b(\w+)(?: \1\b)+/g, "$1") === question
const says = joined(silence(3_000, rate), spoken(question, rate), silence(60_000, rate))

interface Stage extends StageInRoom {
  /** Calls the telephone by an agent with this setting, and gives the call's id once it is being talked on. */
  readonly talk: (owner: Client, recording: boolean) => Promise<string>
  /** What the telephone has heard so far. */
  readonly heardByPhone: () => Int16Array
}

const callOf = async (owner: Client, id: string): Promise<typeof Call.Encoded> =>
  made(await owner.get(`/api/v1/calls/${id}`))

const ended = (owner: Client, id: string) =>
  until(async () => {
    const call = await callOf(owner, id)
    return call.ended_at !== null && call
  })

const fetchRecording = (url: string, { account, token }: Client, id: string, init: RequestInit = {}) =>
  fetch(`${url}/api/v1/calls/${id}/recording`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, "x-account-id": account, ...init.headers },
  })

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

/** The file of the call's recording, if there is one. */
const recordingIn = (folder: string, id: string): string | undefined => {
  const root = join(folder, "recordings")
  return existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: "utf8" }).find((file) => file.endsWith(`${id}.wav`))
    : undefined
}

const tests = (it: Vitest.MethodsNonLive<SipRoomOfFile>) => {
  const test = (name: string, body: (stage: Stage) => Promise<void>) =>
    it.effect.skipIf(baresipFault !== undefined)(
      name,
      () =>
        Effect.gen(function* () {
          const room = yield* stageInRoom
          const phone = yield* baresip({ says, isEncrypted: false, user: to })
          const talk: Stage["talk"] = async (owner, recording) => {
            const { agent } = await caller(owner, { recording })
            const number = await sipNumber(owner, `127.0.0.1:${phone.port}`)
            const call = made(await owner.post("/api/v1/calls", { agent_id: agent.id, phone_number_id: number.id, to }))
            await until(async () => {
              const { end_reason, outcome } = await callOf(owner, call.id)
              assert.isNull(outcome, `the call ended before the greeting: ${end_reason}`)
              return room.speech.spoken.some(({ input }) => input.includes("this is Rosa"))
            })
            return call.id
          }
          yield* Effect.promise(() => body({ ...room, talk, heardByPhone: phone.heard }))
        }),
      240_000,
    )

  test("is recorded with both sides where they were spoken, and its file can be had in parts", async (stage) => {
    const { heardByPhone, parley, speech, talk } = stage
    const { owner, server } = await parley()
    const { url } = server
    const id = await talk(owner, true)
    const path = `/api/v1/calls/${id}/recording` as const
    assert.isNull((await callOf(owner, id)).recording)
    refused(await owner.get(path), 409, "invalid_state")
    await until(() => speech.understood.some(({ words }) => isQuestion(words)))
    const answer = await until(() => speech.spoken.find(({ input }) => /nine to five/.test(input)))
    const said = async () => (await callOf(owner, id)).transcript.filter(({ role }) => role === "agent")
    await until(async () => (await said()).some(({ text }) => /nine to five/.test(text)))
    made(await owner.post(`/api/v1/calls/${id}/hangup`))
    const call = await ended(owner, id)
    assert.strictEqual(call.recording, path)

    const response = await fetchRecording(url, owner, id)
    const header = (name: string) => response.headers.get(name)
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(
      [header("content-type"), header("accept-ranges"), header("cache-control")],
      ["audio/wav", "bytes", "no-store"],
    )
    const file = await bytesOf(response)
    assert.strictEqual(header("content-length"), String(file.length))
    const recording = readRecording(file)
    assert.strictEqual(recording.rate, rate)
    const asked = heard(recording.left, rate)
    assert.isTrue(isQuestion(asked), asked)
    // The transcript's times are those of the recording. It has a part of what was spoken where the person interrupted.
    for (const { started_ms, text } of await said()) {
      const first = speech.spoken.find(({ input }) => text.startsWith(input) || input.startsWith(text))
      assert.approximately(onsetOf(first?.hz ?? 0, recording.right, rate) ?? NaN, started_ms, 150, text)
    }
    assert.isDefined(onsetOf(answer.hz, heardByPhone(), rate))
    const seconds = recording.left.length / rate
    assert.approximately(seconds, call.duration_seconds ?? NaN, 1)

    const etag = header("etag") ?? ""
    const part = (range: string, headers: Record<string, string> = {}) =>
      fetchRecording(url, owner, id, { headers: { range, ...headers } })
    const middle = await part("bytes=100-299")
    assert.deepStrictEqual(
      [middle.status, middle.headers.get("content-range"), middle.headers.get("content-length")],
      [206, `bytes 100-299/${file.length}`, "200"],
    )
    assert.deepStrictEqual(await bytesOf(middle), file.slice(100, 300))
    assert.deepStrictEqual(await bytesOf(await part("bytes=-10")), file.slice(-10))
    const beyond = await part(`bytes=${file.length}-`)
    assert.strictEqual(beyond.headers.get("content-range"), `bytes */${file.length}`)
    assert.deepInclude(await beyond.json(), { status: 416, code: "range_not_satisfiable" })
    assert.strictEqual((await part("bytes=0-9", { "if-range": etag })).status, 206)
    assert.strictEqual((await part("bytes=0-9", { "if-range": '"other"' })).status, 200)
    assert.strictEqual((await part("bytes=0-9", { "if-none-match": etag })).status, 304)
    const head = await fetchRecording(url, owner, id, { method: "HEAD" })
    assert.deepStrictEqual([head.status, head.headers.get("content-length")], [200, String(file.length)])

    const stranger = await speak(url).ownerOf("stranger", wide)
    refused(await stranger.get(path), 404, "not_found")
  })

  test("is silent on both sides while its recording is paused, also at another process's request, once the log has that", async (stage) => {
    const { accountDatabase, pair, speech, talk } = stage
    const [here, other] = await pair()
    const id = await talk(here.owner, true)
    const account = await accountDatabase()
    await query(account, "alter table audit_entries add constraint full_log check (false) not valid")
    for (const { owner } of [here, other]) {
      assert.strictEqual((await owner.post(`/api/v1/calls/${id}/recording/pause`)).status, 500)
    }
    await query(account, "alter table audit_entries drop constraint full_log")
    const act = async ({ owner }: typeof here, what: "pause" | "resume") =>
      made(await owner.post(`/api/v1/calls/${id}/recording/${what}`))
    const unpaused = await callOf(here.owner, id)
    assert.deepInclude(unpaused, { recording_state: "recording", recording_pauses: [] })
    const paused = await act(here, "pause")
    assert.strictEqual(paused.recording_state, "paused")
    assert.lengthOf(paused.recording_pauses, 1)
    assert.strictEqual((await act(here, "pause")).recording_pauses.length, 1)
    assert.strictEqual((await act(other, "resume")).recording_state, "recording")
    assert.strictEqual((await act(other, "pause")).recording_state, "paused")
    // Asked while nothing of either side is recorded.
    await until(() => speech.understood.some(({ words }) => isQuestion(words)))
    await until(async () => (await callOf(other.owner, id)).transcript.length > 2)
    made(await other.owner.post(`/api/v1/calls/${id}/hangup`))
    const call = await ended(other.owner, id)
    assert.strictEqual(call.recording_state, "complete")
    const { left, right } = readRecording(await bytesOf(await fetchRecording(other.server.url, other.owner, id)))
    const length = (left.length / rate) * 1_000
    assert.lengthOf(call.recording_pauses, 2)
    for (const { ended_ms, started_ms } of call.recording_pauses) {
      for (const side of [left, right]) assert.isTrue(isSilent(side, rate, started_ms + 40, (ended_ms ?? length) - 40))
    }
    assert.notInclude(heard(left, rate), "hours")
    const said = call.transcript.filter(({ role }) => role === "caller").map(({ text }) => text)
    assert.include(said, "[not kept: the recording was paused]")
    assert.isFalse(said.some(isQuestion), said.join())
    refused(await here.owner.post(`/api/v1/calls/${id}/recording/pause`), 409, "invalid_state")
    const stranger = await speak(here.server.url).ownerOf("stranger", wide)
    refused(await stranger.post(`/api/v1/calls/${id}/recording/pause`), 404, "not_found")
  })

  test("is heard live at any process, and as silence while its recording is paused", async (stage) => {
    const { pair, talk } = stage
    const [here, other] = await pair()
    const id = await talk(here.owner, true)
    const listener = await listenTo(here.server.url, here.owner, id)
    await until(() => isQuestion(heard(listener.sides().left, rate)))
    assert.strictEqual(listener.rate, rate)
    made(await here.owner.post(`/api/v1/calls/${id}/recording/pause`))
    const paused = await listenTo(other.server.url, other.owner, id)
    await until(() => paused.sides().right.length > rate)
    assert.isUndefined(paused.heardAt("right"))
    made(await here.owner.post(`/api/v1/calls/${id}/hangup`))
    await until(() => listener.isOver() && paused.isOver())
    await until(async () => (await callOf(other.owner, id)).listeners.every(({ ended_at }) => ended_at !== null))
  })

  test("is not recorded unless its agent says so", async ({ folder, parley, talk }) => {
    const { owner } = await parley()
    const id = await talk(owner, false)
    made(await owner.post(`/api/v1/calls/${id}/hangup`))
    assert.isNull((await ended(owner, id)).recording)
    refused(await owner.get(`/api/v1/calls/${id}/recording`), 404, "not_found")
    assert.isUndefined(recordingIn(folder, id))
  })

  test("goes on if the disk refuses its recording, which is logged once", async ({ folder, parleyWith, talk }) => {
    const notFolder = join(folder, "file")
    writeFileSync(notFolder, "")
    const { owner, process } = await parleyWith({ PARLEY_RECORDINGS_DIR: notFolder })
    const id = await talk(owner, true)
    await until(() => process.said().includes("recording stopped; the call goes on"))
    assert.strictEqual((await callOf(owner, id)).status, "in_progress")
    made(await owner.post(`/api/v1/calls/${id}/hangup`))
    assert.isNull((await ended(owner, id)).recording)
    assert.lengthOf(process.said().match(/recording stopped/g) ?? [], 1)
  })

  test("can be played up to its last second after kill -9, from another process", async (stage) => {
    const { folder, heardByPhone, parley, speech, talk } = stage
    const { owner, process } = await parley()
    const id = await talk(owner, true)
    const greeting = await until(() => speech.spoken.find(({ input }) => input.includes("this is Rosa")))
    const reached = () => readRecording(readFileSync(join(folder, "recordings", recordingIn(folder, id) ?? "")), true)
    await until(() => onsetOf(greeting.hz, heardByPhone(), rate) !== undefined)
    await until(
      () => recordingIn(folder, id) !== undefined && onsetOf(greeting.hz, reached().right, rate) !== undefined,
    )
    process.child.kill("SIGKILL")
    await process.ended
    const before = reached()
    const other = await parley()
    const call = await ended(other.owner, id)
    assert.strictEqual(call.recording, `/api/v1/calls/${id}/recording`)
    const after = readRecording(await bytesOf(await fetchRecording(other.server.url, other.owner, id)))
    assert.isAtLeast(after.right.length, before.right.length)
    assert.isDefined(onsetOf(greeting.hz, after.right, rate))
  })

  test("is served by any machine from a bucket", async ({ heardByPhone, parleyWith, speech, talk }) => {
    const onMachines = Effect.gen(function* () {
      const store = yield* objectServer
      const machine = () => parleyWith({ ...store.settings, PARLEY_RECORDINGS_DIR: emptyFolder() })
      yield* Effect.promise(async () => {
        const [here, other] = await Promise.all([machine(), machine()])
        const id = await talk(here.owner, true)
        const greeting = await until(() => speech.spoken.find(({ input }) => input.includes("this is Rosa")))
        await until(() => onsetOf(greeting.hz, heardByPhone(), rate) !== undefined)
        made(await here.owner.post(`/api/v1/calls/${id}/hangup`))
        await ended(here.owner, id)
        const answer = await until(async () => {
          const response = await fetchRecording(other.server.url, other.owner, id)
          return response.status === 200 && response
        })
        const { right } = readRecording(await bytesOf(answer))
        assert.isDefined(onsetOf(greeting.hz, right, rate))
        const range = await fetchRecording(other.server.url, other.owner, id, { headers: { range: "bytes=0-3" } })
        assert.deepStrictEqual([range.status, await range.text()], [206, "RIFF"])
        store.stop()
        const unreachable = await fetchRecording(other.server.url, other.owner, id)
        assert.isTrue(unreachable.headers.has("retry-after"))
        assert.deepInclude(await unreachable.json(), { status: 503, code: "recording_unavailable" })
      })
    })
    await Effect.runPromise(Effect.scoped(onMachines))
  })
}

it.layer(SipRoomOfFile.layer, { timeout: "180 seconds", excludeTestServices: true })("a call over SIP", tests)
