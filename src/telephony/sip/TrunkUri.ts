/** The URI of a number on a trunk. */
import { type SipTrunk, transportParam } from "../../domain/SipConfig.ts"
import { writeUri } from "./Uri.ts"

export const uriOn = ({ host, port, transport }: SipTrunk, number: string): string =>
  `${writeUri(number, host, port)}${transportParam(transport)}`
