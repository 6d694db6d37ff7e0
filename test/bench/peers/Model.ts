/**
 * A model in a separate process, with OpenAI's protocol, that takes a known time. It answers a question with a tool
 * call, and a tool's result with a sentence. It records when each request arrived and when its response was sent, so
 * that a benchmark can subtract the actual time of the model and not the nominal one.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

export interface Served {
  readonly arrived_at: number
  readonly left_at: number
}

/** An average hosted model (voice.md's latency benchmark): the first token after 300 ms, then sixty a second. */
const firstTokenMs = 300
const betweenTokensMs = 1_000 / 60
/** Short and a single phrase, so that speech can begin only when its last word has arrived. */
const sentence = "That is a fine time for it so tell me more."

/** The conversation of a request, as named in its instructions. */
const conversationOf = (text: string): string => /case number (\+?\w+)/u.exec(text)?.[1] ?? ""

const served = new Map<string, Array<Served>>()
const now = () => performance.timeOrigin + performance.now()

const server = createServer(async (request, response) => {
  if (request.url === "/served") {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(Object.fromEntries(served)))
    return served.clear()
  }
  // LiveKit's plugin checks that the server is up.
  if (request.method !== "POST") return response.end()
  const body = (await json(request)) as {
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content?: unknown }>
    readonly tools?: ReadonlyArray<object>
  }
  const arrived_at = now()
  const conversation = conversationOf(JSON.stringify(body.messages[0]?.content ?? ""))
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    })}\n\n`
  response.writeHead(200, { "content-type": "text/event-stream" })
  await sleep(firstTokenMs)
  if (body.messages.at(-1)?.role === "tool" || body.tools === undefined) {
    for (const [at, word] of sentence.split(/(?<= )/u).entries()) {
      if (at > 0) await sleep(betweenTokensMs)
      response.write(chunk(at === 0 ? { role: "assistant", content: word } : { content: word }))
    }
    response.write(chunk({}, "stop"))
  } else {
    const call = { index: 0, id: `call_${crypto.randomUUID()}`, type: "function" }
    response.write(
      chunk({
        role: "assistant",
        content: null,
        tool_calls: [{ ...call, function: { name: "get_current_time", arguments: "{}" } }],
      }),
    )
    response.write(chunk({}, "tool_calls"))
  }
  response.write(
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage: { prompt_tokens: 900, completion_tokens: 15, total_tokens: 915 } })}\n\n`,
  )
  response.end("data: [DONE]\n\n")
  const all = served.get(conversation) ?? []
  all.push({ arrived_at, left_at: now() })
  served.set(conversation, all)
})

// Providers keep connections for longer than a turn takes. Node would close them after five seconds.
server.keepAliveTimeout = 75_000
server.listen(0, "127.0.0.1")
await once(server, "listening")
console.log(`The model is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
