/** Our addresses as peers reach them, where those are not the ones that the system sends from, as behind a NAT. */
import { isIP } from "node:net"

/** Reads the value of a setting: up to one address of each family, or a name, with commas in between. */
export const readHosts = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "")

/** The host for a peer at this address: the one of its family, else a name. Null if the setting has neither. */
export const hostFor = (hosts: ReadonlyArray<string>, peer: string): string | null =>
  hosts.find((host) => isIP(host) === isIP(peer)) ?? hosts.find((host) => isIP(host) === 0) ?? null
