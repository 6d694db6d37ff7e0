/** Where a message goes next and how, and where a message came from. */
export type Transport = "udp" | "tcp" | "tls"

/** The other end of a socket. */
export interface Place {
  readonly transport: Transport
  /** An IP address. */
  readonly address: string
  readonly port: number
}

export interface NamedPlace extends Place {
  /** The name or address that the server's certificate must have. Used by TLS only. */
  readonly serverName: string
}

export interface Hop extends NamedPlace {
  /** Our own address as this peer reaches it, for `Via` and `Contact`. */
  readonly localHost: string
  /** Whether a request that is too long for a datagram may go over TCP. */
  readonly mayUseTcp: boolean
}

/** Where a message came from, and the way back. */
export interface Source extends Place {
  /** Sends over the connection that brought the message; returns false if it is closed. Null for UDP. */
  readonly reply: ((bytes: Buffer) => boolean) | null
}

/** The port through which transactions send. */
export interface Sender {
  /** Calls `failed`, at most once, if the message was certainly not delivered. */
  readonly send: (bytes: Buffer, place: Place & { readonly serverName?: string }, failed: () => void) => void
  /** Our own port for a transport, for `Via` and `Contact`. */
  readonly localPort: (transport: Transport) => number
}

export const isReliable = (transport: Transport): boolean => transport !== "udp"

export const defaultPort = (transport: Transport): number => (transport === "tls" ? 5_061 : 5_060)
