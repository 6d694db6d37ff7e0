/** An S3 server with its own bucket. It verifies signatures, keeps files, and can be cut off. */
import S3rver from "@20minutes/s3rver"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readdirSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./FreePorts.ts"

/** The only access key that the server knows. Its secret is the same text. */
const key = "S3RVER"
const bucket = "recordings"

/** The suffix of the files in which s3rver keeps an object's bytes. */
const object = "._S3rver_object"

export interface Put {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export interface ObjectServer {
  /** The settings with which Parley uses the server. */
  readonly settings: Record<string, string>
  /** The names of the objects in the bucket. */
  readonly names: () => ReadonlyArray<string>
  /** The uploads it has accepted. */
  readonly puts: Array<Put>
  /** Runs before the server takes an object. */
  beforePut: () => Promise<void>
  /** Cuts open connections and refuses new ones, until `begin`. */
  readonly stop: () => void
  readonly begin: () => void
}

export const objectServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = mkdtempSync(join(tmpdir(), "parley-s3-"))
    const port = await freePort()
    let isReachable = true
    const server = new S3rver({
      address: "127.0.0.1",
      port,
      silent: true,
      directory,
      allowMismatchedSignatures: false,
      configureBuckets: [{ name: bucket }],
    })
    const store: ObjectServer = {
      settings: {
        PARLEY_RECORDINGS_S3_ENDPOINT: `http://127.0.0.1:${port}`,
        PARLEY_RECORDINGS_S3_BUCKET: bucket,
        PARLEY_RECORDINGS_S3_ACCESS_KEY: key,
        PARLEY_RECORDINGS_S3_SECRET_KEY: key,
      },
      names: () => {
        const root = join(directory, bucket)
        const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : []
        return files.filter((file) => file.endsWith(object)).map((file) => file.slice(0, -object.length))
      },
      puts: [],
      beforePut: () => Promise.resolve(),
      stop: () => {
        isReachable = false
        server.httpServer.closeAllConnections()
      },
      begin: () => {
        isReachable = true
      },
    }
    server.middleware.unshift(async ({ method, path, req }, next) => {
      // s3rver signs the path of a bucket without the slash that the client sends and signs.
      if (path === `/${bucket}/`) delete req.headers.authorization
      if (method === "PUT") await store.beforePut()
      await next()
      if (method === "PUT") store.puts.push({ path, headers: req.headers })
    })
    await server.run()
    server.httpServer.on("connection", (socket) => {
      if (!isReachable) socket.destroy()
    })
    return { store, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.httpServer.close()
      server.httpServer.closeAllConnections()
    }),
).pipe(Effect.map(({ store }) => store))
