/** What the files of worst inputs share: what such an input is, and how it is made and sent. */
import { once } from "node:events"
import { headersOf, type single } from "../support/RpcClient.ts"
import type { Client } from "../support/TestServer.ts"

export interface Sender {
  readonly url: string
  readonly client: Client
  readonly rpc: ReturnType<typeof single>
  /** Runs a statement in the account's database. */
  readonly query: (statement: string) => Promise<unknown>
}

export interface WorstInput {
  readonly name: string
  /** Whatever has to be there before; the loop is not watched meanwhile. */
  readonly prepare?: (sender: Sender) => Promise<unknown>
  /** What it answers counts for nothing; that it answers does. */
  readonly send: (sender: Sender) => Promise<unknown>
}

/** `count` texts or values, made by position. */
export const many = <A>(count: number, make: (at: number) => A): Array<A> =>
  Array.from({ length: count }, (_, at) => make(at))

export const membersOf = (count: number) => Object.fromEntries(many(count, (at) => [`member${at}`, at]))

export const python = (implementation_code: string) => ({
  implementation_type: "python",
  implementation_config: undefined,
  implementation_code,
})

/** A call over the router's socket, until its answer is there. */
export const asked = async ({ client, url }: Sender, method: string, path: string, input: string) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/trpc-ws?connectionParams=1`)
  await once(socket, "open")
  socket.send(JSON.stringify({ method: "connectionParams", data: headersOf(client) }))
  socket.send(`{"id":1,"method":"${method}","params":{"path":"${path}","input":${input}}}`)
  const [{ data }] = await once(socket, "message")
  socket.close()
  if (JSON.parse(data).id !== 1) throw new Error(`It answered ${data}`)
}
