/** Compares the origins of URLs: a secret given for one origin is never sent to another. */

/** Undefined while the URL is incomplete. */
const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

export const isElsewhere = (url: string, stored: string): boolean => {
  const origin = originOf(url)
  return origin !== undefined && origin !== originOf(stored)
}
