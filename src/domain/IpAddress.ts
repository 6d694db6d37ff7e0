/** IP addresses as text. Without Node's own functions, so that pages can use it too. */

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/u
const ipv6 = /^[0-9a-f:.]{2,45}$/iu

/**
 * The address as sockets and name servers spell it: an IPv6 address has many spellings. Null for any other text, and
 * for an address with a zone.
 */
export const canonicalAddress = (text: string): string | null => {
  if (ipv4.test(text)) return text
  const url = `http://[${text}]`
  return text.includes(":") && ipv6.test(text) && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null
}

/** The canonical address, or the text itself if it is no address. */
export const spelledAsBySockets = (host: string): string => canonicalAddress(host) ?? host
