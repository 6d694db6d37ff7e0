/**
 * A dialog (RFC 3261 §12): the state that both sides of a call need for requests within it. It is plain data, so that
 * another process can end the call of a killed one.
 */
import { Schema } from "effect"
import { parseAddress, tagOf } from "./Fields.ts"
import type { Hop, NamedPlace } from "./Hop.ts"
import { type Field, fieldOf, type Request, type Response, valuesOf } from "./Message.ts"
import { parseUri } from "./Uri.ts"

/** Where a peer's messages come from and ours go. */
export const StoredPlace = Schema.Struct({
  transport: Schema.Literals(["udp", "tcp", "tls"]),
  address: Schema.String,
  port: Schema.Int,
  /** The name that the server's certificate must have, for TLS. */
  serverName: Schema.String,
})

export const Dialog = Schema.Struct({
  call_id: Schema.String,
  local_tag: Schema.String,
  remote_tag: Schema.String,
  /** `From` and `To` of our requests, without tags. */
  local: Schema.String,
  remote: Schema.String,
  /** The `CSeq` number of our latest request, and of the peer's; null before its first. */
  local_sequence: Schema.Int,
  remote_sequence: Schema.NullOr(Schema.Int),
  /** The remote target: the URI at which the peer wants our requests. */
  target: Schema.String,
  /** The route set: the proxies in between, the next one first. */
  routes: Schema.Array(Schema.String),
  /** Where the peer's messages have come from. */
  place: StoredPlace,
})
export type Dialog = typeof Dialog.Type

/** The key includes the remote tag, because several phones may answer one INVITE. */
export const keyOfDialog = (callId: string, localTag: string, remoteTag: string): string =>
  `${callId} ${localTag} ${remoteTag}`

/** Name and address of a `From` or `To`, without its parameters. */
const addressText = (field: string): string => {
  const address = parseAddress(field)
  if (address === null) return field
  return `${address.display === "" ? "" : `${address.display} `}<${address.uri}>`
}

/** Returns the URI in the peer's `Contact`, or `otherwise` if there is none that can be read. */
const contactOf = (message: Request | Response, otherwise: string): string => {
  const [contact] = valuesOf(message, "contact")
  const uri = contact === undefined ? undefined : parseAddress(contact)?.uri
  return uri !== undefined && parseUri(uri) !== null ? uri : otherwise
}

/** Makes the dialog of a response to our INVITE. A provisional response with a tag makes an early dialog. */
export const dialogOfResponse = (
  invite: Pick<Dialog, "call_id" | "local" | "local_tag" | "local_sequence" | "remote" | "target">,
  response: Response,
  hop: Hop,
): Dialog => ({
  ...invite,
  remote_tag: tagOf(response.to),
  remote_sequence: null,
  target: contactOf(response, invite.target),
  routes: valuesOf(response, "record-route").toReversed(),
  place: { transport: hop.transport, address: hop.address, port: hop.port, serverName: hop.serverName },
})

/** Makes the dialog of a peer's INVITE, with our tag. */
export const dialogOfRequest = (request: Request, local_tag: string, place: NamedPlace): Dialog => ({
  call_id: request.callId,
  local_tag,
  remote_tag: tagOf(request.from),
  local: addressText(fieldOf(request, "to") ?? ""),
  remote: addressText(fieldOf(request, "from") ?? ""),
  local_sequence: 0,
  remote_sequence: request.cseq,
  target: contactOf(request, request.from.uri),
  routes: valuesOf(request, "record-route"),
  place: { transport: place.transport, address: place.address, port: place.port, serverName: place.serverName },
})

/** Updates the remote target: a re-INVITE or UPDATE, or a response to ours, may change it (§12.2). */
export const refreshTarget = (dialog: Dialog, message: Request | Response): Dialog => ({
  ...dialog,
  target: contactOf(message, dialog.target),
})

/** Whether the first proxy supports loose routing (`lr`). A strict router must be the request URI itself. */
const isLoose = (route: string): boolean => {
  const uri = parseAddress(route)?.uri ?? ""
  return parseUri(uri)?.params.has("lr") ?? false
}

export interface DialogRequest {
  readonly uri: string
  readonly fields: ReadonlyArray<Field>
  /** The URI whose address the request is sent to. */
  readonly next: string
}

/** A request within the dialog (§12.2.1.1). */
export const requestIn = (dialog: Dialog, method: string, sequence: number): DialogRequest => {
  const [first] = dialog.routes
  const firstUri = first === undefined ? undefined : parseAddress(first)?.uri
  const isStrict = first !== undefined && firstUri !== undefined && !isLoose(first)
  const routes = isStrict ? [...dialog.routes.slice(1), `<${dialog.target}>`] : dialog.routes
  return {
    uri: isStrict ? firstUri : dialog.target,
    next: firstUri ?? dialog.target,
    fields: [
      ["max-forwards", "70"],
      ...routes.map((route): Field => ["route", route]),
      ["from", `${dialog.local};tag=${dialog.local_tag}`],
      ["to", dialog.remote_tag === "" ? dialog.remote : `${dialog.remote};tag=${dialog.remote_tag}`],
      ["call-id", dialog.call_id],
      ["cseq", `${sequence} ${method}`],
    ],
  }
}
