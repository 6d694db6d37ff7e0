/** Where a message goes next, and how; where one came from. */
export type Transport = "udp" | "tcp" | "tls"

/** The other end of a socket. */
export interface Place {
  readonly transport: Transport
  /** An IP address. */
  readonly address: string
  readonly port: number
}

export interface NamedPlace extends Place {
  /** The name that a server's certificate has to bear, or its address; used by TLS only. */
  readonly serverName: string
}

export interface Hop extends NamedPlace {
  /** Our own address as this peer reaches it: it stands in `Via` and `Contact`. */
  readonly localHost: string
  /** Whether a request too long for a datagram may go over TCP. */
  readonly mayUseTcp: boolean
}

/** Where a message came from, and the way back. */
export interface Source extends Place {
  /** Of a stream: sends over the connection by which the message came. False if that is closed. */
  readonly reply: ((bytes: Buffer) => boolean) | null
}

/** The wire as transactions use it. */
export interface Sender {
  /** `failed` is called at most once: the message certainly was not delivered. */
  readonly send: (bytes: Buffer, place: Place & { readonly serverName?: string }, failed: () => void) => void
  /** Our own port of a transport, as it stands in `Via` and `Contact`. */
  readonly localPort: (transport: Transport) => number
}

export const isReliable = (transport: Transport): boolean => transport !== "udp"

export const defaultPort = (transport: Transport): number => (transport === "tls" ? 5_061 : 5_060)
