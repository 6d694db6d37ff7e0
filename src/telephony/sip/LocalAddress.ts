/** Our own address as a peer reaches it, by the system's routes. */
import { Effect } from "effect"
import { createSocket } from "node:dgram"

/** The port does not matter: connecting a datagram socket sends nothing. */
const discard = 9

/** The addresses of every interface. */
export const isEvery = (address: string): boolean => address === "0.0.0.0" || address === "::"

/** The address that the system would send from; that of every interface if no route leads there. */
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
