/** Runs http tools: one request to a public address, without redirects, within the tool's time. */
import { Effect, Schema, type Scope } from "effect"
import { Client, type Dispatcher } from "undici"
import * as Secrets from "../catalog/Secrets.ts"
import { HttpConfig, isJsonType } from "../catalog/ToolConfig.ts"
import { storableText } from "../domain/JsonValue.ts"
import { type ToolAddressGuard, type Admitted, unreachable } from "./ToolAddressGuard.ts"
import { credentials, type HttpRequest, requestOf } from "./HttpRequest.ts"
import * as ResultText from "./ResultText.ts"
import { largestResult, resultTooLarge, ToolFailed } from "./ToolRunner.ts"

const largestAnswer = 1024 * 1024
/**
 * Characters of an error's body in the message. More is read, so that a secret at the end is found whole and masked.
 */
const excerptLength = 500
const largestExcerpt = 64 * 1024
/** A conflict is what a server answers while it still works on the request with the same key. */
const transientStatuses = new Set([408, 409, 425, 429])

/** Waits until the account gets a place, then does the work. */
export type InPlace = <A, R>(work: Effect.Effect<A, ToolFailed, R>) => Effect.Effect<A, ToolFailed, R>

export const run = Effect.fn("HttpTool.run")(function* (
  guard: ToolAddressGuard["Service"],
  inPlace: InPlace,
  opened: Schema.JsonObject,
  args: Schema.JsonObject,
  invocation_id: string,
) {
  const config = yield* configOf(opened)
  const sent = credentials(config.authentication).map(([, value]) => value.replace(/^(?:Basic|Bearer) /u, ""))
  const { maskJson, maskText } = Secrets.makeSecretMasker(opened, sent)
  const asked = Effect.gen(function* () {
    const admitted = yield* guard.admit(config.url)
    const response = yield* send(admitted, requestOf(config, admitted.url, args, invocation_id))
    return maskJson(yield* resultOf(response, maskText))
  })
  const result = yield* inPlace(Effect.scoped(asked)).pipe(
    Effect.timeoutOrElse({
      duration: config.timeout_ms,
      orElse: () =>
        new ToolFailed({
          code: "timeout",
          reason: `The tool's server did not answer within ${config.timeout_ms} ms`,
          is_transient: true,
        }),
    }),
  )
  return { result, logs: [] }
})

/** The config was valid when it was written. The fault is not named: it would quote the config with its secrets. */
const configOf = (opened: Schema.JsonObject) =>
  Schema.decodeUnknownEffect(HttpConfig)(opened).pipe(
    Effect.mapError(
      () => new ToolFailed({ code: "invalid_configuration", reason: "The tool's implementation_config is incomplete" }),
    ),
  )

/** Opens a connection for each request: none is shared between accounts, and an interruption closes it. */
const send = ({ lookup, url }: Admitted, request: HttpRequest): Effect.Effect<Response, ToolFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Client(url.origin, {
          connect: { lookup, timeout: 0, maxCachedSessions: 0 },
          allowH2: false,
          // The tool's own time is the only limit.
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
    ),
    (client) => Effect.promise(() => client.destroy()),
  ).pipe(
    Effect.flatMap((client) =>
      Effect.tryPromise({ try: (signal) => client.request({ ...request, signal }), catch: () => unreachable }),
    ),
  )

type Response = Dispatcher.ResponseData

const resultOf = Effect.fnUntraced(function* (response: Response, maskText: (text: string) => string) {
  const { statusCode: status } = response
  if (status >= 300 && status < 400) {
    return yield* new ToolFailed({
      code: "http_redirect",
      reason: `The tool's server answered ${status}; redirects are not followed`,
    })
  }
  if (status < 200 || status > 299) {
    // A body that breaks off counts as empty, because the status is known.
    const said = yield* Effect.orElseSucceed(beginningOf(response, largestExcerpt), () => Buffer.alloc(0))
    const excerpt = storableText(maskText(said.toString().trim()).slice(0, excerptLength))
    return yield* new ToolFailed({
      code: "http_status",
      reason:
        excerpt === "" ? `The tool's server answered ${status}` : `The tool's server answered ${status}: ${excerpt}`,
      is_transient: status >= 500 || transientStatuses.has(status),
    })
  }
  const bytes = yield* beginningOf(response, largestAnswer)
  if (bytes.length > largestAnswer) {
    return yield* new ToolFailed({
      code: "answer_too_large",
      reason: `The tool's server answered more than ${largestAnswer} bytes`,
    })
  }
  return yield* valueOf(bytes, response.headers["content-type"])
})

/**
 * An empty body is null. A body of type JSON, or without a type, is parsed if it can be; everything else is text. Of a
 * body that is not text, the model gets a sentence.
 */
const valueOf = Effect.fnUntraced(function* (bytes: Buffer, type: string | ReadonlyArray<string> | undefined) {
  if (bytes.length === 0) return null
  const text = textOf(bytes, String(type ?? ""))
  if (text === undefined) return `The tool's server answered ${bytes.length} bytes that are not text${kindOf(type)}.`
  const value = type === undefined || isJsonType(String(type)) ? yield* ResultText.read(text) : undefined
  if (value !== undefined) return value
  return text.length > largestResult ? yield* resultTooLarge() : text
})

/** The text in the charset that the content type names, or in UTF-8; undefined if the bytes are none. */
const textOf = (bytes: Buffer, type: string): string | undefined => {
  const [, charset = "utf-8"] = /;\s*charset="?([\w.:-]+)/iu.exec(type) ?? []
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const kindOf = (type: string | ReadonlyArray<string> | undefined): string => {
  const [kind] = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}/u.exec(String(type ?? "")) ?? []
  return kind === undefined ? "" : ` (${kind})`
}

/** The body, or a little more than `most` bytes of it. */
const beginningOf = ({ body }: Response, most: number) =>
  Effect.callback<Buffer, ToolFailed>((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    const end = () => resume(Effect.succeed(Buffer.concat(chunks)))
    body.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= most) return
      end()
      body.destroy()
    })
    body.on("end", end)
    body.on("error", () => resume(unreachable))
    return Effect.sync(() => body.destroy())
  })
