/** People on streamed calls: those to whom a call is transferred, and supervisors who take one over. */
import { assert } from "@effect/vitest"
import { made } from "./Fixtures.ts"
import { recordingOf } from "./Recording.ts"
import { endsOf, hasGreeted, hasPlayed, type Room } from "./StreamedRoom.ts"
import { supervise } from "./SupervisorPage.ts"
import { heard } from "./ToneCode.ts"
import { againUntil, until } from "./Until.ts"

const ofCaller = "what are your opening hours"
const ofPerson = "yes please"

const script = [
  { says: "I will connect you.", calls: [{ name: "transfer_call", args: { reason: "Ada asks about her booking" } }] },
  { says: "May I take a message?" },
  { says: "Thank you." },
]

const find = async ({ owner }: Room, id: string) => made(await owner.get(`/api/v1/calls/${id}`))

/** A recorded call whose caller has asked for a person. The person at `to` is being called. */
const begin = async (room: Room, to: string) => {
  const { order, owner, place, scripted, stream } = room
  const agent = await scripted(script, { transfer_call: { to, mode: "warm" } })
  made(await owner.put(`/api/agents/${agent}`, { recording: true }))
  const id = await place("65", agent)
  await stream(id, hasGreeted)
  await order(id, { say: "hello please" })
  const leg = await until(async () => (await find(room, id)).transfers[0]?.call_id)
  return { id, leg }
}

/** Both sides talk until the transcript has what each of them said. */
const talk = async (room: Room, id: string, personSays: () => unknown) => {
  const says = (role: string, words: string) => async () =>
    (await find(room, id)).transcript.some((entry) => entry.role === role && entry.text.toLowerCase().includes(words))
  await againUntil(() => void personSays(), says("person", ofPerson))
  await againUntil(() => void room.order(id, { say: ofCaller }), says("caller", ofCaller))
}

/** A person presses 1, the two talk, and the person hangs up. */
export const assertHandedOver = async (room: Room): Promise<void> => {
  const { caller, carrier, order, speech, stream } = room
  const { id, leg } = await begin(room, "+14155550165")
  await until(() =>
    speech.spoken.some(({ input }) => input.includes("Ada asks about her booking. The call is recorded.")),
  )
  // The caller hears music while the person is being called.
  const before = (await stream(id)).counts.media
  await stream(id, ({ counts }) => counts.media > before + 50)
  await stream(leg, hasPlayed)
  await order(leg, { press: "1" })
  await talk(room, id, () => order(leg, { say: ofPerson }))
  await order(leg, { hang_up: true })
  const both = [await caller.ended(id), await caller.ended(leg)] as const
  assert.include(both[0], { outcome: "answered", end_reason: "transferred" })
  assert.include(both[1], { outcome: "answered", end_reason: "transferred", transfer_of: id })
  assert.lengthOf(endsOf(room, id), 1)
  assert.lengthOf(endsOf(room, leg), 1)
  assert.strictEqual((await carrier.ask("GET", "/streams")).filter(({ call_id }) => call_id === leg).length, 1)
  const { left, right } = await recordingOf(room, id)
  assert.include(heard(left, 8_000), ofCaller)
  assert.include(heard(right, 8_000), ofPerson)
}

/** The person at `to` does not take the call, and the agent continues. */
export const assertHandedBack = async (
  room: Room,
  to: string,
  end: object,
  act: (leg: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> => {
  const { id, leg } = await begin(room, to)
  await act(leg)
  assert.include(await room.caller.ended(leg), end)
  await until(async () => {
    const { transcript } = await find(room, id)
    return transcript.some(({ role, text }) => role === "agent" && text.includes("could not put you through"))
  })
  await room.order(id, { hang_up: true })
  assert.include(await room.caller.ended(id), { end_reason: "caller_hung_up" })
  assert.lengthOf(endsOf(room, leg), 1)
}

/** A supervisor's page and the caller talk until the caller hangs up. */
export const assertTakenOver = async (room: Room): Promise<void> => {
  const { order, owner, place, scripted, stream, url } = room
  const agent = await scripted([{ says: "Thank you." }], {})
  made(await owner.put(`/api/agents/${agent}`, { recording: true }))
  const id = await place("65", agent)
  await stream(id, hasGreeted)
  const supervisor = await supervise(url, owner, id)
  await supervisor.next("connected")
  await talk(room, id, () => supervisor.say(ofPerson))
  await until(() => supervisor.hears(ofCaller))
  await order(id, { hang_up: true })
  assert.strictEqual((await supervisor.next("ended")).reason, "call_ended")
  assert.include(heard((await recordingOf(room, id)).right, 8_000), ofPerson)
}
