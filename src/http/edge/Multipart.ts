/**
 * Reads a form with one file as it arrives: the file is a stream, and other fields may come before or after it.
 * HttpApi's own multipart would write the file to disk first. The only importer of busboy.
 */
import { Busboy, type BusboyInstance, type Dicer } from "@fastify/busboy"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { Invalid, invalid } from "../../domain/Refusals.ts"
import { isOfType, isPartUtf8, UnsupportedMediaType } from "./Body.ts"

export interface FormFields {
  readonly file: string
  readonly known: ReadonlySet<string>
  /** Fields that a client may send back, and that are ignored. */
  readonly ignored: ReadonlySet<string>
}

export interface Form {
  /** The fields that have come so far. */
  readonly fields: ReadonlyMap<string, string>
  readonly file: AsyncIterable<Buffer>
  /** Resolves when every part was read; rejects with the reason why that is impossible. */
  readonly complete: Promise<void>
  /**
   * A digest that is equal for two forms with the same parts, whatever their boundaries. Reads the rest of the form.
   */
  readonly fingerprint: Effect.Effect<string, Invalid | UnsupportedMediaType>
}

const limits = { fieldNameSize: 100, fieldSize: 65_536, fields: 50, parts: 60, headerPairs: 20, headerSize: 8_192 }

/** The name of the file in messages. */
const sampleName = "list.csv"

/** Begins to read the form of the request, up to its file. */
export const receive = Effect.fn("Multipart.receive")(function* (expected: FormFields) {
  const received = yield* HttpServerRequest.HttpServerRequest
  const request = NodeHttpServerRequest.toIncomingMessage(received) as IncomingMessage
  const type = request.headers["content-type"] ?? ""
  if (!isOfType("multipart/form-data", received.headers)) {
    return yield* new UnsupportedMediaType({ expected: "multipart/form-data" })
  }
  if (!/;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})(?:\s*;|\s*$)/i.test(type)) {
    return yield* invalid("/headers/content-type", "must name a boundary of 1 to 70 characters")
  }
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => new FormReader(request, type, expected)),
    (reader) => Effect.sync(() => reader.stop(new Error("the form is no longer read"))),
  )
  yield* awaitForm(() => reader.fileBegan)
  return reader satisfies Form
})

/** A fault of the form is the sender's; any other failure, such as a connection that breaks, is a defect. */
const awaitForm = (promise: () => Promise<void>) =>
  Effect.tryPromise({ try: promise, catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      cause instanceof Invalid || cause instanceof UnsupportedMediaType ? Effect.fail(cause) : Effect.die(cause),
    ),
  )

const isUtf8 = (header: object): boolean =>
  "content-type" in header && Array.isArray(header["content-type"])
    ? header["content-type"].every((type) => isPartUtf8(String(type)))
    : true

class FormReader implements Form {
  readonly fields = new Map<string, string>()
  readonly complete: Promise<void>
  readonly fileBegan: Promise<void>
  readonly fingerprint: Effect.Effect<string, Invalid | UnsupportedMediaType>
  private readonly request: IncomingMessage
  private readonly expected: FormFields
  private readonly hash = createHash("sha256")
  private readonly parser: BusboyInstance
  private readonly whole = Promise.withResolvers<void>()
  private readonly began = Promise.withResolvers<void>()
  private source: Readable | undefined
  private isOver = false
  /** Whether the part that begins is in UTF-8. */
  private isPartUtf8 = true

  constructor(request: IncomingMessage, type: string, expected: FormFields) {
    this.request = request
    this.expected = expected
    this.complete = this.whole.promise
    this.fileBegan = this.began.promise
    this.fingerprint = awaitForm(() => this.readRest()).pipe(Effect.map(() => this.digest()))
    // The reader of the file gets both rejections too; neither may count as unhandled.
    this.complete.catch(() => {})
    this.fileBegan.catch(() => {})
    this.parser = new Busboy({
      headers: { ...request.headers, "content-type": type },
      limits,
      isPartAFile: (name, _type, fileName) => name === expected.file || fileName !== undefined,
    })
    // Busboy tells the charset of no file. Its own reader of parts does, and is asked first.
    const { _parser: inner } = this.parser as BusboyInstance & { readonly _parser: { readonly parser: Dicer } }
    inner.parser.prependListener("part", (part: NodeJS.EventEmitter) => {
      part.on("header", (header: object) => void (this.isPartUtf8 = isUtf8(header)))
    })
    this.parser.on("field", (name, value, isNameCut, isCut) => this.take(name, value, isNameCut || isCut))
    this.parser.on("file", (name, stream) => this.begin(name, stream))
    this.parser.on("finish", () => this.finish())
    this.parser.on("error", (cause) => this.stop(invalid("", `is not a multipart form: ${String(cause)}`)))
    for (const limit of ["partsLimit", "fieldsLimit"]) {
      this.parser.on(limit, () => this.stop(invalid("", "has too many parts")))
    }
    request.once("close", () => {
      if (!request.complete) this.stop(new Error("the client is gone"))
    })
    request.pipe(this.parser)
  }

  readonly file: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator]: () => this.chunks(),
  }

  /** Keeps the first cause. The rest of the request is read and dropped, so that the client can read the answer. */
  stop(cause: Error): void {
    if (this.isOver) return
    this.isOver = true
    this.request.unpipe(this.parser)
    this.request.resume()
    this.source?.destroy(cause)
    this.whole.reject(cause)
    this.began.reject(cause)
  }

  private take(name: string | undefined, value: string, isCut: boolean): void {
    const pointer = `/${name ?? ""}`
    const { ignored, known } = this.expected
    if (name === undefined || (!known.has(name) && !ignored.has(name))) {
      return this.stop(invalid(pointer, "is not a field of this form"))
    }
    if (ignored.has(name)) return
    if (this.fields.has(name)) return this.stop(invalid(pointer, "stands twice"))
    if (isCut) return this.stop(invalid(pointer, `may have at most ${limits.fieldSize} bytes`))
    // The parser puts the replacement character in place of bytes that are not UTF-8.
    if (/[\0\uFFFD]/.test(value)) return this.stop(invalid(pointer, "must be UTF-8 without the character U+0000"))
    this.fields.set(name, value)
  }

  private begin(name: string | undefined, stream: Readable): void {
    stream.on("error", () => {})
    if (name === this.expected.file && !this.isPartUtf8) {
      return this.stop(new UnsupportedMediaType({ expected: "multipart/form-data" }))
    }
    if (name === this.expected.file && this.source === undefined && !this.isOver) {
      this.source = stream
      return this.began.resolve()
    }
    stream.resume()
    const { file } = this.expected
    const detail = `is not a file field of this form: send the file in the field ${file}. With curl: -F ${file}=@${sampleName}`
    this.stop(invalid(`/${name ?? ""}`, name === file ? "occurs twice: send one file" : detail))
  }

  private finish(): void {
    if (this.isOver) return
    if (this.source === undefined) return this.stop(invalid(`/${this.expected.file}`, "is missing: send the file"))
    this.isOver = true
    this.whole.resolve()
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of this.source ?? []) {
      this.hash.update(chunk)
      yield chunk
    }
  }

  private async readRest(): Promise<void> {
    if (this.source !== undefined && !this.source.readableEnded) for await (const _ of this.chunks());
    await this.complete
  }

  private digest(): string {
    const parts = [...this.fields].sort(([a], [b]) => (a < b ? -1 : 1))
    return createHash("sha256")
      .update(JSON.stringify([parts, this.hash.copy().digest("hex")]))
      .digest("hex")
  }
}
