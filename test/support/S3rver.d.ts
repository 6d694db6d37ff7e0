/** Types for the part of s3rver that tests use. The package has none. */
declare module "@20minutes/s3rver" {
  import type { IncomingMessage, Server } from "node:http"
  interface Exchange {
    readonly req: IncomingMessage
    readonly method: string
    readonly path: string
  }
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly allowMismatchedSignatures: boolean
      readonly configureBuckets: ReadonlyArray<{ readonly name: string }>
    })
    readonly httpServer: Server
    /** Koa's middleware: each entry wraps those after it. */
    readonly middleware: Array<(exchange: Exchange, next: () => Promise<void>) => Promise<void>>
    run(): Promise<{ readonly port: number }>
  }
}
