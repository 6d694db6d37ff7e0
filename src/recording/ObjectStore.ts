/**
 * The object store of recordings: any S3-compatible server. An object is named after the ids of its account and call,
 * so that no name reveals a phone number or a customer. The client library is loaded only if a bucket is configured.
 */
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Data, Effect, Layer, Redacted, Stream } from "effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { v7 as uuidv7 } from "uuid"
import * as StoreSettings from "./StoreSettings.ts"

const connectTimeoutMs = 5_000
/** A connection is given up if its upload makes no progress for this long. */
const stalledMs = 30_000
/** The time limit until an answer begins. Reading its body has no limit, because a listener may pause. */
const answerTimeout = "15 seconds"
const removedAtOnce = 8

/** A request to the store failed. The message says what to do. */
export class StoreFault extends Data.TaggedError("StoreFault")<{
  readonly place: string
  readonly isMissing: boolean
  readonly why: string
}> {
  override get message() {
    return `${this.place}: ${this.why}`
  }
}

/** An object in the store. */
export interface StoredObject {
  readonly bytes: number
  /** Reads from the byte `first` to the byte `last`, both included. */
  readonly read: (first: number, last: number) => Stream.Stream<Uint8Array, StoreFault>
}

export interface Objects {
  /** The bucket and its server, for messages to people. */
  readonly place: string
  /** Uploads a file, and replaces an object of the same name. The store verifies the upload by its MD5 sum. */
  readonly put: (account: string, id: string, path: string) => Effect.Effect<void, StoreFault>
  /** Undefined if there is none. */
  readonly find: (account: string, id: string) => Effect.Effect<StoredObject | undefined, StoreFault>
  /** Succeeds even if there is no such object. */
  readonly remove: (account: string, id: string) => Effect.Effect<void, StoreFault>
  readonly removeAll: (account: string) => Effect.Effect<void, StoreFault>
  /** Writes, reads and deletes a small object, to check the permissions that recordings need. */
  readonly check: Effect.Effect<void, StoreFault>
}

/** Null if recordings stay on disk. */
export class ObjectStore extends Context.Service<ObjectStore, Objects | null>()("recording/ObjectStore") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const settings = yield* StoreSettings.read
      return settings === null ? null : yield* open(settings)
    }),
  )
}

/** The client library, loaded when it is first needed. */
type S3 = typeof import("@aws-sdk/client-s3")

interface Bucket {
  readonly s3: S3
  readonly settings: StoreSettings.StoreSettings
  readonly place: string
  readonly client: S3Client
  readonly uploader: S3Client
}

const open = Effect.fnUntraced(function* (settings: StoreSettings.StoreSettings) {
  const s3 = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
  const connect = (config: S3ClientConfig) =>
    Effect.acquireRelease(
      Effect.sync(() => new s3.S3Client({ ...clientConfig(settings), ...config })),
      (client) => Effect.sync(() => client.destroy()),
    )
  const bucket: Bucket = {
    s3,
    settings,
    place: `the bucket ${settings.bucket} at ${settings.endpoint ?? `AWS (${settings.region})`}`,
    client: yield* connect({ requestHandler: { connectionTimeout: connectTimeoutMs } }),
    // The client must not retry: it cannot send the stream of a file again.
    uploader: yield* connect({
      maxAttempts: 1,
      requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: stalledMs },
    }),
  }
  const objects: Objects = {
    place: bucket.place,
    put: (account, id, path) => put(bucket, keyOf(settings, account, id), path),
    find: (account, id) => find(bucket, keyOf(settings, account, id)),
    remove: (account, id) => remove(bucket, keyOf(settings, account, id)),
    removeAll: (account) => removeAll(bucket, folderOf(settings, account)),
    check: check(bucket),
  }
  return objects
})

const folderOf = ({ prefix }: StoreSettings.StoreSettings, account: string) => `${prefix}${account}/`
const keyOf = (settings: StoreSettings.StoreSettings, account: string, id: string) =>
  `${folderOf(settings, account)}${id}.wav`

const encryptionOf = ({ encryption, kmsKey }: StoreSettings.StoreSettings) => ({
  ...(encryption !== undefined && { ServerSideEncryption: encryption }),
  ...(kmsKey !== undefined && { SSEKMSKeyId: kmsKey }),
})

const request = <A>(place: string, send: (abortSignal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({
    try: send,
    catch: (fault) => new StoreFault({ place, isMissing: isMissing(fault), why: explain(fault) }),
  })

/** Sends a request and fails if its answer does not begin in time. */
const ask = <A>(place: string, send: (abortSignal: AbortSignal) => Promise<A>) =>
  Effect.timeoutOrElse(request(place, send), {
    duration: answerTimeout,
    orElse: () => new StoreFault({ place, isMissing: false, why: "It did not answer in time." }),
  })

const put = ({ place, s3, settings, uploader }: Bucket, Key: string, path: string) =>
  request(place, async (abortSignal) => {
    const { size } = await stat(path)
    const md5 = createHash("md5")
    await pipeline(createReadStream(path), md5, { signal: abortSignal })
    const file = createReadStream(path)
    const order = new s3.PutObjectCommand({
      Bucket: settings.bucket,
      Key,
      Body: file,
      ContentLength: size,
      ContentMD5: md5.digest("base64"),
      ContentType: "audio/wav",
      ...encryptionOf(settings),
    })
    try {
      await uploader.send(order, { abortSignal })
    } finally {
      file.destroy()
    }
  })

const find = Effect.fnUntraced(function* ({ client, place, s3, settings }: Bucket, Key: string) {
  const at = { Bucket: settings.bucket, Key }
  const head = yield* ask(place, (abortSignal) => client.send(new s3.HeadObjectCommand(at), { abortSignal })).pipe(
    Effect.catchIf(
      (fault) => fault.isMissing,
      () => Effect.undefined,
    ),
  )
  if (head === undefined) return undefined
  const get = (first: number, last: number) =>
    ask(place, () => client.send(new s3.GetObjectCommand({ ...at, Range: `bytes=${first}-${last}` })))
  const found: StoredObject = {
    bytes: head.ContentLength ?? 0,
    read: (first, last) =>
      Stream.unwrap(
        Effect.map(get(first, last), ({ Body }) =>
          NodeStream.fromReadable<Uint8Array, StoreFault>({
            evaluate: () => (Body instanceof Readable ? Body : Readable.from([])),
            onError: (fault) => new StoreFault({ place, isMissing: false, why: explain(fault) }),
          }),
        ),
      ),
  }
  return found
})

const remove = ({ client, place, s3, settings }: Bucket, Key: string) =>
  Effect.asVoid(
    ask(place, (abortSignal) =>
      client.send(new s3.DeleteObjectCommand({ Bucket: settings.bucket, Key }), { abortSignal }),
    ),
  )

const removeAll = Effect.fnUntraced(function* (bucket: Bucket, Prefix: string) {
  const { client, place, s3, settings } = bucket
  const order = { Bucket: settings.bucket, Prefix }
  while (true) {
    const page = yield* ask(place, (abortSignal) => client.send(new s3.ListObjectsV2Command(order), { abortSignal }))
    const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? [])
    yield* Effect.forEach(keys, (key) => remove(bucket, key), { concurrency: removedAtOnce, discard: true })
    if (page.IsTruncated !== true || keys.length === 0) return
  }
})

const check = Effect.fnUntraced(function* (bucket: Bucket) {
  const { client, place, s3, settings } = bucket
  const at = { Bucket: settings.bucket, Key: `${settings.prefix}parley-check-${uuidv7()}` }
  const order = new s3.PutObjectCommand({ ...at, Body: "Parley may write here.", ...encryptionOf(settings) })
  yield* ask(place, (abortSignal) => client.send(order, { abortSignal }))
  yield* ask(place, async (abortSignal) =>
    (await client.send(new s3.GetObjectCommand(at), { abortSignal })).Body?.transformToString(),
  )
  yield* remove(bucket, at.Key)
})

const clientConfig = ({ endpoint, isPathStyle, keys, region }: StoreSettings.StoreSettings): S3ClientConfig => ({
  region,
  forcePathStyle: isPathStyle,
  ...(endpoint !== undefined && { endpoint }),
  ...(keys !== undefined && {
    credentials: { accessKeyId: keys.id, secretAccessKey: Redacted.value(keys.secret) },
  }),
  // Many servers are older than trailing checksums. `put` sends an MD5 sum, which all of them verify.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  // Without this the client would write to the console.
  logger: { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
})

const nameOf = (fault: unknown): string => (fault instanceof Error ? fault.name : "")

const statusOf = (fault: unknown): number | undefined =>
  typeof fault === "object" && fault !== null && "$metadata" in fault
    ? (fault.$metadata as { readonly httpStatusCode?: number }).httpStatusCode
    : undefined

/**
 * Whether there is no object of this name. A missing bucket has another error name, except in the answer to a HEAD,
 * which has no body.
 */
const isMissing = (fault: unknown): boolean => nameOf(fault) !== "NoSuchBucket" && statusOf(fault) === 404

const explanations: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "It does not know the access key. Check PARLEY_RECORDINGS_S3_ACCESS_KEY.",
  SignatureDoesNotMatch: "The secret key is wrong. Check PARLEY_RECORDINGS_S3_SECRET_KEY.",
  AccessDenied: "The key may not read, write, list or delete there. Check its policy.",
  NoSuchBucket: "There is no such bucket. Check PARLEY_RECORDINGS_S3_BUCKET.",
  PermanentRedirect: "The bucket is in another region. Check PARLEY_RECORDINGS_S3_REGION.",
  AuthorizationHeaderMalformed: "The bucket is in another region. Check PARLEY_RECORDINGS_S3_REGION.",
  RequestTimeTooSkewed: "The clock of this machine is wrong by minutes.",
  CredentialsProviderError: "There is no access key. Set PARLEY_RECORDINGS_S3_ACCESS_KEY and its secret.",
  BadDigest: "The upload was damaged on its way.",
}

const explain = (fault: unknown): string => {
  const known = explanations[nameOf(fault)]
  if (known !== undefined) return known
  const status = statusOf(fault)
  if (status === 403) return "It refused the key, or what the key may do."
  const said = (fault instanceof Error ? fault.message : String(fault)).replace(/\.+$/, "")
  return status === undefined ? `It cannot be reached: ${said}.` : `It answered ${status}: ${nameOf(fault)} ${said}.`
}
