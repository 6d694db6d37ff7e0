/** Finds our local address towards a peer by the system's routing table. */
import { Effect } from "effect"
import { createSocket } from "node:dgram"

/** The port does not matter: connecting a datagram socket sends nothing. */
const discard = 9

/** Whether the address stands for all interfaces. */
export const isEvery = (address: string): boolean => address === "0.0.0.0" || address === "::"

/** Returns the address that the system would send from; the wildcard address if there is no route. */
export const localAddressTo = (address: string): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const isIpv6 = address.includes(":")
    const socket = createSocket(isIpv6 ? "udp6" : "udp4")
    const answer = (own: string) => {
      resume(Effect.succeed(own))
      socket.close()
    }
    socket.once("error", () => answer(isIpv6 ? "::" : "0.0.0.0"))
    socket.connect(discard, address, () => answer(socket.address().address))
  })
