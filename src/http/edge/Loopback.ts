/** Names and addresses of this machine that no other machine can reach. */

/** Takes `HOST`, the host of a `Host` header or the address of a socket; IPv6 with or without its brackets. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(?:\.\d{1,3}){3})$/i.test(host)
