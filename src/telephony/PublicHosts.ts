/**
 * The addresses at which peers reach this process, where the system's own addresses are not reachable, such as behind
 * NAT.
 */
import { isIP } from "node:net"

/** Reads the value of a setting: up to one address of each family, or a name, with commas in between. */
export const readHosts = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "")

/** Returns the host to tell a peer at this address: the address of the peer's family, else a name, else null. */
export const hostFor = (hosts: ReadonlyArray<string>, peer: string): string | null =>
  hosts.find((host) => isIP(host) === isIP(peer)) ?? hosts.find((host) => isIP(host) === 0) ?? null
