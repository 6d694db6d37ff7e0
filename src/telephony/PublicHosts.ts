/** What peers are told as our own address, where it is not the one that the system sends from: behind a NAT. */
import { isIP } from "node:net"

/** Of a setting: up to one address of each family, or a name. */
export const readHosts = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "")

/** For a peer of this address: the host of its family, else a name; null if the setting has neither. */
export const hostFor = (hosts: ReadonlyArray<string>, peer: string): string | null =>
  hosts.find((host) => isIP(host) === isIP(peer)) ?? hosts.find((host) => isIP(host) === 0) ?? null
