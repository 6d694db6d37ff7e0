/** The origins of URLs: a secret that was given for one origin is never sent to another. */

/** Undefined while the address is being typed. */
const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

export const isElsewhere = (url: string, stored: string): boolean => {
  const origin = originOf(url)
  return origin !== undefined && origin !== originOf(stored)
}
