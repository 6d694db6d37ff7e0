/**
 * Stands in for the providers of language models: a server on this machine that speaks their wire protocols and gives
 * the answers of a script. Its bytes arrive in odd pieces, as over a network.
 */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

/**
 * Milliseconds, longer than a machine stalls. Closing a connection while a request is sent over it would fail the test.
 */
const keepAliveTimeout = 120_000

export interface Answer {
  readonly says?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly args: unknown }>
  /** Answers with this HTTP error instead. */
  readonly status?: number
  /** Answers with these bytes instead. */
  readonly raw?: string
  /** Sends nothing after `says`, and leaves the connection open. */
  readonly stalls?: boolean
  /** Sends nothing at all, and leaves the connection open. */
  readonly silent?: boolean
  /** Breaks the connection after `says`. */
  readonly breaks?: boolean
  /** Returns the embedding of each text, instead of `says`. */
  readonly embeds?: (text: string) => ReadonlyArray<number>
}

// oxlint-disable-next-line typescript/no-explicit-any -- four protocols' requests, looked into by tests
export type Asked = { readonly path: string; readonly body: any }

const tokens = { in: 120, out: 7 }
const argumentsOf = (args: unknown) => (typeof args === "string" ? args : JSON.stringify(args))

const openAi = ({ calls = [], says }: Answer) => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: "assistant", content: "" }),
    ...(says === undefined ? [] : says.split(/(?<= )/u).map((content) => chunk({ content }))),
    ...calls.flatMap(({ args, name }, index) => {
      const whole = argumentsOf(args)
      const half = Math.ceil(whole.length / 2)
      return [
        chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: whole.slice(0, half) } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: whole.slice(half) } }] }),
      ]
    }),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
    {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: tokens.in, completion_tokens: tokens.out, total_tokens: 127 },
    },
  ].map((data) => `data: ${JSON.stringify(data)}\n\n`)
}

const anthropic = ({ calls = [], says }: Answer) => {
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const block = (index: number, content_block: object, deltas: ReadonlyArray<object>) => [
    event("content_block_start", { index, content_block }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ]
  const usage = { input_tokens: tokens.in, output_tokens: 0 }
  const message = { id: "m1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage }
  return [
    event("message_start", { message }),
    ...(says === undefined
      ? []
      : block(
          0,
          { type: "text", text: "" },
          says.split(/(?<= )/u).map((text) => ({ type: "text_delta", text })),
        )),
    ...calls.flatMap(({ args, name }, at) =>
      block(at + 1, { type: "tool_use", id: `call_${at}`, name, input: {} }, [
        { type: "input_json_delta", partial_json: argumentsOf(args) },
      ]),
    ),
    event("message_delta", {
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: tokens.out },
    }),
    event("message_stop", {}),
  ]
}

const google = ({ calls = [], says }: Answer) => {
  const parts = [
    ...(says === undefined ? [] : says.split(/(?<= )/u).map((text) => ({ text }))),
    ...calls.map(({ args, name }) => ({ functionCall: { name, args } })),
  ]
  return parts.map((part, at) => {
    const last = at === parts.length - 1
    const candidate = { index: 0, content: { role: "model", parts: [part] }, ...(last ? { finishReason: "STOP" } : {}) }
    const usageMetadata = { promptTokenCount: tokens.in, candidatesTokenCount: tokens.out, totalTokenCount: 127 }
    return `data: ${JSON.stringify({ candidates: [candidate], ...(last ? { usageMetadata } : {}) })}\n\n`
  })
}

const responses = ({ calls = [], says }: Answer) => {
  const event = (type: string, data: object) => `data: ${JSON.stringify({ type, ...data })}\n\n`
  const response = { id: "r1", created_at: 1, model: "m" }
  const item = { id: "i0", type: "message", role: "assistant", content: [] }
  return [
    event("response.created", { response }),
    ...(says === undefined
      ? []
      : [
          event("response.output_item.added", { output_index: 0, item }),
          ...says
            .split(/(?<= )/u)
            .map((delta) =>
              event("response.output_text.delta", { item_id: "i0", output_index: 0, content_index: 0, delta }),
            ),
          event("response.output_item.done", { output_index: 0, item }),
        ]),
    ...calls.flatMap(({ args, name }, at) => {
      const call = { type: "function_call", id: `f${at}`, call_id: `call_${at}`, name, status: "completed" }
      const whole = argumentsOf(args)
      return [
        event("response.output_item.added", { output_index: at + 1, item: { ...call, arguments: "" } }),
        event("response.function_call_arguments.delta", { item_id: `f${at}`, output_index: at + 1, delta: whole }),
        event("response.output_item.done", { output_index: at + 1, item: { ...call, arguments: whole } }),
      ]
    }),
    event("response.completed", {
      response: { ...response, usage: { input_tokens: tokens.in, output_tokens: tokens.out } },
    }),
  ]
}

/** A response with embeddings for OpenAI and Google, which do not stream them. */
const embeddings = (path: string, body: Asked["body"], embed: (text: string) => ReadonlyArray<number>) => {
  if (!path.includes(":")) {
    const data = body.input.map((text: string, index: number) => ({
      object: "embedding",
      index,
      embedding: embed(text),
    }))
    return { object: "list", model: "m", data, usage: { prompt_tokens: tokens.in, total_tokens: tokens.in } }
  }
  const textOf = ({ parts }: { readonly parts: ReadonlyArray<{ readonly text: string }> }) => parts[0]?.text ?? ""
  return path.endsWith(":batchEmbedContents")
    ? { embeddings: body.requests.map((each: Asked["body"]) => ({ values: embed(textOf(each.content)) })) }
    : { embedding: { values: embed(textOf(body.content)) } }
}

const protocolOf = (path: string) =>
  path.endsWith("/chat/completions")
    ? openAi
    : path.endsWith("/messages")
      ? anthropic
      : path.endsWith("/responses")
        ? responses
        : google

/** Writes in pieces of a few bytes, so that no event arrives whole. */
const write = (response: ServerResponse, text: string) => {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 61) response.write(bytes.subarray(at, at + 61))
}

/** Answers in turn, of which the last is repeated; or the answer to a request, by its body as text. */
type Script = ReadonlyArray<Answer> | ((body: string) => Answer)

/** Starts a server that gives the answers of the script. `asked` keeps every request. */
export const modelServer = (script: Script) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<Asked> = []
      let answers = script
      let aborted = 0
      const server = createServer({ keepAliveTimeout }, async (request, response) => {
        const { pathname } = new URL(request.url ?? "/", "http://localhost")
        const turn = asked.length
        const body: Asked["body"] = await json(request)
        const answer =
          typeof answers === "function"
            ? answers(JSON.stringify(body))
            : (answers[Math.min(turn, answers.length - 1)] ?? {})
        asked.push({ path: pathname, body })
        response.on("close", () => void (aborted += response.writableEnded ? 0 : 1))
        if (answer.status !== undefined) {
          response.writeHead(answer.status, { "content-type": "application/json" })
          return response.end(JSON.stringify({ error: { message: "overloaded", type: "overloaded_error" } }))
        }
        if (answer.embeds !== undefined) {
          if (answer.stalls === true) return
          response.writeHead(200, { "content-type": "application/json" })
          return response.end(JSON.stringify(embeddings(pathname, body, answer.embeds)))
        }
        if (answer.silent === true) return
        const events = protocolOf(pathname)(answer)
        response.writeHead(200, { "content-type": "text/event-stream" })
        if (answer.raw !== undefined) return response.end(answer.raw)
        if (answer.stalls !== true && answer.breaks !== true) {
          write(response, events.join(""))
          return response.end(protocolOf(pathname) === openAi ? "data: [DONE]\n\n" : "")
        }
        write(response, events.slice(0, -2).join(""))
        if (answer.breaks === true) response.destroy()
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      /** Starts another script. */
      const begin = (next: Script) => {
        answers = next
        asked.length = 0
      }
      return { server, asked, url, begin, aborted: () => aborted }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )
